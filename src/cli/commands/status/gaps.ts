import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, lakeFlag } from '../../flags/options.ts'

export const gapsCommand = command({
  name: 'gaps',
  usage: 'gaps',
  comment: 'Show missing ranges below the end of the coverage, per table, and lists that must be read again',
  examples: [
    { line: 'chainlake gaps --lake ./output', says: 'what is missing in the lake' },
    { line: 'chainlake gaps --check', says: 'exit code 9 if something is missing, for scripts' },
  ],
  options: {
    ...lakeFlag,
    check: { type: 'boolean', describe: 'Exit with code 9 when something is missing' },
    ...jsonFlag,
    ...commonFlags,
  },
  run: async ({ flags }) => (await import('./show-gaps.ts')).showGaps(flags),
})
