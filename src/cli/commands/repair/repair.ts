import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, lakeFlag } from '../../flags/options.ts'

export const repairCommand = command({
  name: 'repair',
  usage: 'repair',
  comment: 'Take damaged files out of the lake, so that the next run reads again what they held',
  options: {
    ...lakeFlag,
    'dry-run': { type: 'boolean', describe: 'Say what would be removed, and change nothing' },
    'accept-loss': {
      type: 'boolean',
      describe: 'Also remove damaged files whose rows cannot be read again: observations and versions',
    },
    stream: {
      type: 'string',
      requiresArg: true,
      describe: 'Remove what is covered of this stream instead, such as P/block, to read it again',
    },
    from: { type: 'string', requiresArg: true, describe: 'With --stream: first coordinate, inclusive' },
    to: { type: 'string', requiresArg: true, describe: 'With --stream: last coordinate, exclusive' },
    tables: { type: 'string', requiresArg: true, describe: 'With --stream: only these tables, with commas' },
    ...jsonFlag,
    ...commonFlags,
  },
  run: async ({ flags }) => (await import('./run-repair.ts')).runRepair(flags),
})
