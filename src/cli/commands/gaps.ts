import { command } from '../command.ts'
import { formatCount, textTable } from '../format.ts'
import { commonFlags, jsonFlag, lakeFlag } from '../options.ts'
import { printJson, printLine } from '../output.ts'

export const gapsCommand = command({
  name: 'gaps',
  usage: 'gaps',
  comment: 'Show what is missing below the last covered container, per table',
  options: { ...lakeFlag, ...jsonFlag, ...commonFlags },
  run: async ({ flags }) => {
    const [{ readSettings }, { lakeStatus }, { gapsOf }] = await Promise.all([
      import('../settings.ts'),
      import('../../run/lake-status.ts'),
      import('../gaps.ts'),
    ])
    const { lake } = await readSettings(flags)
    const gaps = gapsOf(await lakeStatus(lake))
    if (flags.json) {
      await printJson(gaps)
      return 0
    }
    const rows = gaps.map(({ stream, table, from, to }) => [
      stream,
      table,
      formatCount(from),
      formatCount(to),
      formatCount(to - from),
    ])
    await printLine(
      rows.length === 0 ? 'No gaps.' : textTable(['stream', 'table', '>from', '>to', '>containers'], rows),
    )
    return 0
  },
})
