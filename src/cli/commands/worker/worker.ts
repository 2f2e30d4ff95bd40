import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, lakeFlag, modulesFlag, nodeFlags, serviceFlags } from '../../flags/options.ts'

const { threads: _, ...ownNodeFlags } = nodeFlags

export const workerCommand = command({
  name: 'worker',
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
    urls: {
      type: 'string',
      requiresArg: true,
      describe:
        'URLs of queued jobs that are not in chainlake.yaml here, separated by commas; the queue stores no URLs, since they may contain keys',
    },
    'until-done': { type: 'boolean', describe: 'Exit when no task is waiting or running' },
    ...jsonFlag,
    ...modulesFlag,
    ...commonFlags,
  },
  run: async ({ flags }) => (await import('./run-worker.ts')).runWorker(flags),
})
