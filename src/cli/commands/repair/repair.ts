import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, lakeFlag } from '../../flags/options.ts'

export const repairCommand = command({
  name: 'repair',
  usage: 'repair',
  comment: 'Remove damaged files from the lake, so that the next run fetches their rows again',
  examples: [
    { line: 'chainlake repair --dry-run', says: 'what is damaged, and what a repair would remove' },
    { line: 'chainlake repair --stream P/block --from 1 --to 1000', says: 'fetch a range again that is not damaged' },
  ],
  options: {
    ...lakeFlag,
    'dry-run': { type: 'boolean', describe: 'Show what would be removed, and change nothing' },
    'accept-loss': {
      type: 'boolean',
      describe: 'Also remove damaged files with rows that cannot be fetched again: observations and versions',
    },
    stream: {
      type: 'string',
      requiresArg: true,
      describe:
        'Instead remove the coverage of this stream, such as P/block, so that it is fetched again: whole files, which may reach beyond the range',
    },
    chain: {
      type: 'string',
      requiresArg: true,
      describe:
        'Instead remove all rows of this EVM chain of a network, such as evm-43112/43112: another chain may then have its name',
    },
    from: { type: 'string', requiresArg: true, describe: 'With --stream: first coordinate, inclusive' },
    to: { type: 'string', requiresArg: true, describe: 'With --stream: end of the range, exclusive' },
    tables: { type: 'string', requiresArg: true, describe: 'With --stream: only these tables, separated by commas' },
    ...jsonFlag,
    ...commonFlags,
  },
  run: async ({ flags }) => (await import('./run-repair.ts')).runRepair(flags),
})
