import { command } from '../../flags/command.ts'
import {
  commonFlags,
  jobFlags,
  jsonFlag,
  lakeFlag,
  loadParameterFlags,
  modulesFlag,
  nodeFlags,
  serviceFlags,
} from '../../flags/options.ts'

export const runCommand = command({
  name: 'run',
  usage: 'run [job..]',
  comment: 'Fetch new and missing data and commit it to the lake',
  positionals: [{ name: 'job', comment: 'Pipelines, or jobs of chainlake.yaml', many: true }],
  examples: [
    {
      line: 'chainlake run p-blocks --node-url http://127.0.0.1:9650 --lake ./output',
      says: 'export the P-Chain of a node; run it again for what is new',
    },
    {
      line: 'chainlake run p-blocks x-blocks c-blocks --follow',
      says: 'three chains, and every new block, until Ctrl-C',
    },
    { line: 'chainlake run --all --config chainlake.yaml', says: 'all jobs of a configuration' },
  ],
  options: {
    ...nodeFlags,
    ...serviceFlags,
    ...lakeFlag,
    ...jobFlags,
    follow: { type: 'boolean', describe: 'Keep running and follow the head of the chain, until a signal' },
    'max-lag': {
      type: 'string',
      requiresArg: true,
      value: 'TIME',
      describe: 'With --follow: commit at least this often; 0: each block as soon as the node announces it [60s]',
    },
    compact: { type: 'boolean', describe: 'Merge small files when there are many' },
    expire: {
      type: 'string',
      value: 'AGE',
      requiresArg: true,
      describe: 'Expire snapshots older than this, such as 30d, and remove files that only they use',
    },
    'drop-columns': {
      type: 'boolean',
      describe: 'Remove columns from tables of own pipelines that no longer declare them',
    },
    wait: {
      type: 'boolean',
      describe: 'Wait for streams that another run is working on, instead of skipping their jobs',
    },
    workers: {
      type: 'boolean',
      group: 'S3 and PostgreSQL:',
      describe: 'Queue the work as tasks for chainlake worker processes, and wait until they have done them',
    },
    lease: {
      type: 'string',
      group: 'S3 and PostgreSQL:',
      value: 'TIME',
      requiresArg: true,
      describe: 'With --workers: a task goes to another worker when its worker is silent for this long [60s]',
    },
    deadline: {
      type: 'string',
      value: 'TIME',
      requiresArg: true,
      describe: 'End within this time, such as 50m, and commit finished work; exit code 7 when work is left',
    },
    publish: {
      type: 'string',
      value: 'FORMAT',
      requiresArg: true,
      describe: 'At the end, also publish the lake in this format: iceberg or parquet (see chainlake publish)',
    },
    'publish-to': {
      type: 'string',
      value: 'FOLDER',
      requiresArg: true,
      describe: "With --publish parquet: folder of the tables [the folder parquet in the lake's folder]",
    },
    'on-done': {
      type: 'string',
      requiresArg: true,
      value: 'FILE',
      describe: 'At the end, write the changes to this file as JSON',
    },
    report: {
      type: 'string',
      value: 'FILE',
      requiresArg: true,
      describe: 'Keep an HTML report (see chainlake report) in this file; updated with each publication',
    },
    'metrics-file': {
      type: 'string',
      value: 'FILE',
      requiresArg: true,
      describe: 'Write OpenMetrics text to this file every 10 seconds, for a textfile collector',
    },
    'metrics-port': {
      type: 'string',
      value: 'PORT',
      requiresArg: true,
      describe: 'Serve metrics on http://127.0.0.1:PORT/metrics during the run; HOST:PORT for another address',
    },
    ...jsonFlag,
    ...modulesFlag,
    ...commonFlags,
  },
  loadOptions: loadParameterFlags,
  run: async ({ positionals, flags, pipelinesOf }) =>
    (await import('./run-jobs.ts')).runJobs(positionals, flags, pipelinesOf),
})
