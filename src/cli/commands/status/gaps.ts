import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, lakeFlag } from '../../flags/options.ts'

export const gapsCommand = command({
  name: 'gaps',
  usage: 'gaps',
  comment:
    'Show or accept missing ranges below the end of the coverage, per table, and lists with parts that were not read',
  examples: [
    { line: 'chainlake gaps --lake ./output', says: 'what is missing in the lake' },
    { line: 'chainlake gaps --check', says: 'exit code 9 if something is missing, for scripts' },
    { line: 'chainlake gaps --accept --stream mainnet/P/block', says: 'accept what is missing of a stream' },
    { line: 'chainlake gaps --revoke --stream mainnet/P/block', says: 'take the acceptance back' },
  ],
  options: {
    ...lakeFlag,
    check: { type: 'boolean', describe: 'Exit with code 9 when something is missing that was not accepted' },
    accept: { type: 'boolean', describe: 'Accept the gaps that exist now: they no longer count as missing' },
    revoke: { type: 'boolean', describe: 'Take the acceptance of gaps back' },
    stream: { type: 'string', describe: 'Only this stream, as status lists it; several separated by commas' },
    table: { type: 'string', describe: 'Only this table. A gap of a list is one for all tables of the list' },
    ...jsonFlag,
    ...commonFlags,
  },
  run: async ({ flags }) => (await import('./show-gaps.ts')).showGaps(flags),
})
