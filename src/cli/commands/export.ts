import {
  command,
  jobFlags,
  jsonFlag,
  lakeFlag,
  modulesFlag,
  nodeFlags,
  runFlags,
  serviceFlags,
  storeGroup,
  text,
  yes,
} from '../flags/command.ts'

/** The flags of commands that take jobs. */
const sourceFlags = { ...nodeFlags, ...serviceFlags, ...lakeFlag, ...jobFlags }

export const runCommand = command({
  usage: 'run [job..]',
  comment: 'Fetch new and missing data and commit it to the lake',
  argument: 'Pipelines, or jobs of chainlake.yaml',
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
    ...sourceFlags,
    follow: yes('Keep running and follow the head of the chain, until a signal'),
    ...runFlags,
    'drop-columns': yes('Remove columns from tables of own pipelines that no longer declare them'),
    wait: yes('Wait for streams that another run is working on, instead of skipping their jobs'),
    workers: {
      ...yes('Queue the work as tasks for chainlake worker processes, and wait until they have done them'),
      group: storeGroup,
    },
    task: text(
      'Do one task that chainlake plan --tasks printed, in FILE or, for -, on stdin; publish at the end of all tasks',
      'FILE',
    ),
    lease: {
      ...text('With --workers: a task goes to another worker when its worker is silent for this long [60s]', 'TIME'),
      group: storeGroup,
    },
    deadline: text(
      'End within this time, such as 50m, and commit finished work; exit code 7 when work is left',
      'TIME',
    ),
    publish: text(
      'At the end, also publish the lake in this format: iceberg or parquet (see chainlake publish)',
      'FORMAT',
    ),
    'publish-to': text(
      "With --publish parquet: folder of the tables [the folder parquet in the lake's folder]",
      'FOLDER',
    ),
    'on-done': text('At the end, write the changes to this file as JSON', 'FILE'),
    report: text('Keep an HTML report (see chainlake report) in this file; updated with each publication', 'FILE'),
    'metrics-file': text('Write OpenMetrics text to this file every 10 seconds, for a textfile collector', 'FILE'),
    'metrics-port': text(
      'Serve metrics on http://127.0.0.1:PORT/metrics during the run; HOST:PORT for another address',
      'PORT',
    ),
    ...jsonFlag,
    ...modulesFlag,
  },
  takesJobs: true,
})

export const planCommand = command({
  usage: 'plan [job..]',
  comment: 'Show what run would fetch; requests only the head of the node, and nothing of the REST service',
  argument: 'Pipelines, or jobs of chainlake.yaml',
  examples: [
    {
      line: 'chainlake plan p-blocks --node-url http://127.0.0.1:9650',
      says: 'how much a run would fetch, and how long it would take',
    },
    { line: 'chainlake plan --all', says: 'all jobs of chainlake.yaml' },
    {
      line: 'chainlake plan --all --tasks > tasks.jsonl',
      says: 'tasks for any scheduler; each line is the input of chainlake run --task',
    },
  ],
  options: {
    ...sourceFlags,
    tasks: yes(
      'Declare tables and chains in the lake, and print the work as tasks, one line of JSON each; exit code 7 when jobs must be planned again after these tasks',
    ),
    ...jsonFlag,
    ...modulesFlag,
  },
  takesJobs: true,
})

export const doctorCommand = command({
  usage: 'doctor [job..]',
  comment: 'Pre-flight check of sources, API key, budget, clock, disk, memory and lake; writes nothing',
  argument: 'Pipelines, or jobs of chainlake.yaml [all jobs of chainlake.yaml]',
  examples: [{ line: 'chainlake doctor p-blocks --node-url http://127.0.0.1:9650', says: 'whether a run would work' }],
  options: { ...sourceFlags, ...jsonFlag, ...modulesFlag },
  takesJobs: true,
})

export const pipelinesCommand = command({
  usage: 'pipelines',
  comment: 'List all pipelines: what they read',
  examples: [
    { line: 'chainlake pipelines', says: 'all pipelines' },
    { line: 'chainlake run p-blocks --help', says: 'parameters, tables and examples of one' },
  ],
  options: { ...jsonFlag, ...modulesFlag },
})

export const initCommand = command({
  usage: 'init',
  comment: 'Write a commented chainlake.yaml',
  examples: [{ line: 'chainlake init', says: 'chainlake.yaml in this folder' }],
  options: {},
})

export const validateCommand = command({
  usage: 'validate',
  comment: 'Check chainlake.yaml, flags and environment without running anything',
  examples: [
    { line: 'chainlake validate', says: 'chainlake.yaml of this folder' },
    { line: 'chainlake validate --config examples/devnet.yaml --json', says: 'another one, as JSON' },
  ],
  options: {
    ...serviceFlags,
    schema: text('Also write the JSON Schema of this configuration, with its own lists, to this file, for editors'),
    ...jsonFlag,
    ...modulesFlag,
  },
})

const { threads: _, ...ownNodeFlags } = nodeFlags

export const workerCommand = command({
  usage: 'worker',
  comment: 'Work on the tasks that run --workers queues (lake with a catalog in PostgreSQL), until a signal',
  examples: [
    {
      line: 'chainlake worker --lake postgres://user@host/lake --data s3://bucket/lake',
      says: 'work on the tasks of chainlake run --workers',
    },
  ],
  options: {
    ...ownNodeFlags,
    ...serviceFlags,
    ...lakeFlag,
    urls: text(
      'URLs of queued jobs that are not in chainlake.yaml here, separated by commas; the queue stores no URLs, since they may contain keys',
    ),
    'until-done': yes('Exit when no task is waiting or running'),
    ...jsonFlag,
    ...modulesFlag,
  },
})
