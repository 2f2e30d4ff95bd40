import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, lakeFlag, nodeFlags, serviceFlags } from '../../flags/options.ts'

const { threads: _, ...ownNodeFlags } = nodeFlags

export const workerCommand = command({
  name: 'worker',
  usage: 'worker',
  comment: 'Do what runs with --workers queue for the machines that share a lake in PostgreSQL, until a signal',
  options: {
    ...ownNodeFlags,
    ...serviceFlags,
    ...lakeFlag,
    urls: {
      type: 'string',
      requiresArg: true,
      describe:
        'URLs that jobs name and chainlake.yaml does not, with commas: the queue holds none, since they may hold keys',
    },
    'until-done': { type: 'boolean', describe: 'End when no task waits or is under way' },
    ...jsonFlag,
    ...commonFlags,
  },
  run: async ({ flags }) => (await import('./run-worker.ts')).runWorker(flags),
})
