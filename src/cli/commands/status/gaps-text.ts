import { boundText, heightsText, lengthText } from '../../../run/job/slice-text.ts'
import type { AwaitedList, Gap } from '../../../run/status/lake-gaps.ts'
import { textTable } from '../../terminal/text-table.ts'

/** What is missing in a lake, for people. */
export function gapsText(gaps: readonly Gap[], lists: readonly AwaitedList[]): string {
  const parts = [...(gaps.length === 0 ? [] : [rangesText(gaps)]), ...(lists.length === 0 ? [] : [listsText(lists)])]
  return parts.length === 0 ? 'No gaps.' : parts.join('\n\n')
}

function rangesText(gaps: readonly Gap[]): string {
  const rows = gaps.map(({ stream, table, unit, from, to }) => [
    stream,
    table,
    boundText(from, unit),
    boundText(to, unit),
    lengthText(to - from, unit),
    heightsText(stream, unit, { from, to }),
  ])
  const heights = rows.some((row) => row.at(-1) !== '') ? ['heights'] : []
  return textTable(['stream', 'table', '>from', '>to', '>missing', ...heights], rows)
}

function listsText(lists: readonly AwaitedList[]): string {
  const rows = lists.map(({ stream, table }) => [stream, table])
  return `A repair removed rows of these lists. The next run of their jobs reads them again:\n${textTable(['stream', 'table'], rows)}`
}
