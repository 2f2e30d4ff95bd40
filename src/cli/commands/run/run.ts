import { command } from '../../flags/command.ts'
import {
  commonFlags,
  jobFlags,
  jsonFlag,
  lakeFlag,
  loadParameterFlags,
  nodeFlags,
  serviceFlags,
} from '../../flags/options.ts'

export const runCommand = command({
  name: 'run',
  usage: 'run [job..]',
  comment: 'Fetch what the lake lacks and commit it',
  positionals: [{ name: 'job', comment: 'Pipelines, or jobs of chainlake.yaml', many: true }],
  options: {
    ...nodeFlags,
    ...serviceFlags,
    ...lakeFlag,
    ...jobFlags,
    follow: { type: 'boolean', describe: 'Keep going as the chain grows, until a signal' },
    'max-lag': { type: 'string', requiresArg: true, describe: 'With --follow: commit at least this often [60s]' },
    compact: { type: 'boolean', describe: 'Merge small files as they pile up' },
    expire: {
      type: 'string',
      requiresArg: true,
      describe: 'Forget snapshots that are older, such as 30d, and remove files that only those named',
    },
    wait: { type: 'boolean', describe: 'Wait for jobs whose streams another run has, where else they are left out' },
    workers: {
      type: 'boolean',
      describe: 'Queue what the lake lacks for workers (chainlake worker), and wait until they have done it',
    },
    lease: {
      type: 'string',
      requiresArg: true,
      describe: 'With --workers: a task of a worker that is silent for longer goes to another one [60s]',
    },
    deadline: {
      type: 'string',
      requiresArg: true,
      describe: 'End within this time, such as 50m, with what is whole committed; exit code 7 when there is more to do',
    },
    publish: {
      type: 'string',
      requiresArg: true,
      describe: 'At the end, show the lake to others, too: iceberg (see chainlake publish)',
    },
    'on-done': { type: 'string', requiresArg: true, describe: 'At the end, write what changed to this file, as JSON' },
    report: {
      type: 'string',
      requiresArg: true,
      describe: 'Keep a page about the lake in this file, as chainlake report writes it; renewed with each publication',
    },
    'metrics-file': {
      type: 'string',
      requiresArg: true,
      describe: 'Keep metrics in this file as OpenMetrics text, for a textfile collector',
    },
    'metrics-port': { type: 'string', requiresArg: true, describe: 'Serve metrics on http://127.0.0.1:<port>/metrics' },
    ...jsonFlag,
    ...commonFlags,
  },
  loadOptions: loadParameterFlags,
  run: async (args) => (await import('./run-jobs.ts')).runJobs(args.positionals, args.flags),
})
