import { command } from '../../flags/command.ts'
import { commonFlags, lakeFlag } from '../../flags/options.ts'

export const reportCommand = command({
  name: 'report',
  usage: 'report',
  comment: 'Write a page about the lake: one HTML file that needs nothing else',
  options: {
    ...lakeFlag,
    out: { type: 'string', requiresArg: true, describe: 'The file [report.html in the folder of the lake]' },
    ...commonFlags,
  },
  run: async ({ flags }) => (await import('./write-report.ts')).runReport(flags),
})
