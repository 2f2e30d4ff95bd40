import { command } from '../../flags/command.ts'
import { commonFlags, lakeFlag } from '../../flags/options.ts'

export const reportCommand = command({
  name: 'report',
  usage: 'report',
  comment: 'Write a self-contained HTML report about the lake (works offline)',
  examples: [{ line: 'chainlake report --lake ./output', says: 'report.html in the folder of the lake' }],
  options: {
    ...lakeFlag,
    out: { type: 'string', requiresArg: true, describe: 'File to write [report.html in the folder of the lake]' },
    ...commonFlags,
  },
  run: async ({ flags }) => (await import('./write-report.ts')).runReport(flags),
})
