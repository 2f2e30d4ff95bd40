import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, lakeFlag } from '../../flags/options.ts'
import { textTable } from '../../terminal/format.ts'
import { printJson, printLine } from '../../terminal/output.ts'

export const gapsCommand = command({
  name: 'gaps',
  usage: 'gaps',
  comment: 'Show missing ranges below the end of the coverage, per table',
  examples: [{ line: 'chainlake gaps --lake ./output', says: 'what is missing in the lake' }],
  options: { ...lakeFlag, ...jsonFlag, ...commonFlags },
  run: async ({ flags }) => {
    const [{ readSettings }, { lakeStatus }, { gapsOf }, { boundText, heightsText, lengthText }] = await Promise.all([
      import('../../settings/settings.ts'),
      import('../../../run/status/lake-status.ts'),
      import('../../../run/status/lake-gaps.ts'),
      import('../../../run/job/slice-text.ts'),
    ])
    const { lake } = await readSettings(flags)
    const gaps = gapsOf(await lakeStatus(lake))
    if (flags.json) {
      await printJson(gaps)
      return 0
    }
    const rows = gaps.map(({ stream, table, unit, from, to }) => {
      const missing = lengthText(to - from, unit)
      return [
        stream,
        table,
        boundText(from, unit),
        boundText(to, unit),
        missing,
        heightsText(stream, unit, { from, to }),
      ]
    })
    const heights = rows.some((row) => row.at(-1) !== '') ? ['heights'] : []
    const headings = ['stream', 'table', '>from', '>to', '>missing', ...heights]
    await printLine(rows.length === 0 ? 'No gaps.' : textTable(headings, rows))
    return 0
  },
})
