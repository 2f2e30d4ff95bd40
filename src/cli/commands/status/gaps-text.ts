import { boundText, heightsText, lengthText } from '../../../run/job/slice-text.ts'
import type { AwaitedList, Gap, UnreadList } from '../../../run/status/lake-gaps.ts'
import { textTable } from '../../terminal/text-table.ts'

type Missing = {
  readonly ranges: readonly Gap[]
  readonly lists: readonly AwaitedList[]
  readonly unread: readonly UnreadList[]
  readonly acceptedRanges: readonly Gap[]
}

/** What is missing in a lake, for people. */
export function gapsText({ ranges, lists, unread, acceptedRanges }: Missing): string {
  const open = unread.filter(({ isAccepted }) => !isAccepted)
  const accepted = unread.filter(({ isAccepted }) => isAccepted)
  const parts = [
    ...(ranges.length === 0 ? [] : [rangesText(ranges)]),
    ...(open.length === 0
      ? []
      : [`These lists ended before the rows that are known. The items between were not read:\n${unreadText(open)}`]),
    ...(lists.length === 0 ? [] : [listsText(lists)]),
  ]
  const missing = parts.length === 0 ? ['No gaps.'] : parts
  const taken = [
    ...(acceptedRanges.length === 0 ? [] : [rangesText(acceptedRanges)]),
    ...(accepted.length === 0 ? [] : [unreadText(accepted)]),
  ]
  return [...missing, ...(taken.length === 0 ? [] : [`Accepted gaps:\n${taken.join('\n\n')}`])].join('\n\n')
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

function unreadText(lists: readonly UnreadList[]): string {
  const timeText = (seconds: number | null): string => (seconds === null ? '' : boundText(seconds, 'seconds'))
  const rows = lists.map(({ stream, table, from, to }) => [stream, table, timeText(from), timeText(to)])
  return textTable(['stream', 'table', '>after', '>before'], rows)
}

function listsText(lists: readonly AwaitedList[]): string {
  const rows = lists.map(({ stream, table }) => [stream, table])
  return `A repair removed rows of these lists. The next run of their jobs reads them again:\n${textTable(['stream', 'table'], rows)}`
}
