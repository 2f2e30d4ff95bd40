import { command } from '../command.ts'
import { printJson, printLine } from '../output.ts'
import { commonFlags, jsonFlag, lakeFlag } from '../settings/options.ts'

export const statusCommand = command({
  name: 'status',
  usage: 'status',
  comment: 'Show coverage, gaps, rows and bytes of every stream, and the last run',
  options: { ...lakeFlag, ...jsonFlag, ...commonFlags },
  run: async ({ flags }) => {
    const [{ readSettings }, { lakeStatus }, { statusText }] = await Promise.all([
      import('../settings/settings.ts'),
      import('../../run/lake-status.ts'),
      import('../texts/status-text.ts'),
    ])
    const { lake } = await readSettings(flags)
    const status = await lakeStatus(lake)
    if (flags.json) await printJson(status)
    else await printLine(statusText(status))
    return 0
  },
})
