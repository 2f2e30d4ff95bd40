import type { List, Series } from '../../define/index.ts'
import { TransportError } from '../../errors.ts'
import { countText } from '../../lib/text.ts'
import { noStretch, type Slice, type Stream, type Stretch, streamId } from '../../model.ts'

/**
 * A list that ended before the rows that earlier runs have read, twice in a run. What was known is kept. New rows are committed, except those of a
 * window: it does not count as read. Only this list ends with the error.
 */
export class EarlyEndError extends TransportError {}

export function hasItems({ topKeys }: Stretch): boolean {
  return topKeys.length > 0
}

/** The recorded end of a list above all of its stretches: a stretch without items. Null: none. */
export function holeAbove(stretches: readonly Stretch[]): Stretch['hole'] {
  return stretches.find((stretch) => !hasItems(stretch))?.hole ?? null
}

/** Stretches below the end of a list above them; null: there is none. */
export function belowHole(hole: Stretch['hole'], stretches: readonly Stretch[]): readonly Stretch[] {
  return hole === null ? stretches : [{ ...noStretch, hole }, ...stretches]
}

/** Whether a list no longer keeps items of a time, in Unix seconds; null where it is unknown. */
export function isBeyondRetention(time: number | null, retention: number | undefined): boolean {
  return retention !== undefined && time !== null && time < Date.now() / 1000 - retention
}

/**
 * `known`: Unix seconds of the newest row that the list did not reach; null where rows have no time. `items`: number of items that it had before
 * its end.
 */
export function earlyEnd(list: List, stream: Stream, known: number | null, items: number): EarlyEndError {
  return new EarlyEndError(
    'The list ended twice before the rows that the lake has of it: the service left out items, or it no longer has them.',
    {
      code: 'transport.early-end',
      details: {
        ...requestFacts(list, stream),
        'items before its end': countText(items),
        ...(known === null ? {} : { 'newest row that it did not reach': new Date(known * 1000).toISOString() }),
      },
      hint: 'New rows are committed, and nothing that was known is lost. Run again. If the service no longer has the items between, accept the gap (`chainlake gaps --accept`), or declare the retention of the list.',
    },
  )
}

/** A window was answered twice without the rows that the lake has of it. `known`: coordinate of the newest of them, a block or Unix seconds. */
export function earlyWindow(list: List, stream: Stream, window: Slice, known: number | null): EarlyEndError {
  return new EarlyEndError(
    'The service answered twice without the rows that the lake has of a range: it left them out, or no longer has them.',
    {
      code: 'transport.early-end',
      details: {
        ...requestFacts(list, stream),
        from: window.from,
        to: window.to,
        'newest row that it left out': known,
      },
      hint: 'The rows in the lake are kept, and nothing of the range counts as read. Run again. If the service no longer has these rows, do not read them again: set the trailing seconds or blocks of the list to 0.',
    },
  )
}

/** Answers for a slice are cut off at a number of items, and no shorter slice can be requested. */
export function cutOff(list: List, stream: Stream, { from, to }: Slice, items: number): EarlyEndError {
  return new EarlyEndError('The service cuts off its answers, and an answer for the shortest range is full, too.', {
    code: 'transport.early-end',
    kind: 'lasting',
    details: { ...requestFacts(list, stream), from, to, 'items of the answer': countText(items) },
    hint: 'Nothing of this range counts as read, since the service may have more items in it. Request larger pages, or declare the pager of the list, with which the service gives the next page.',
  })
}

function requestFacts(list: List, stream: Stream) {
  return { stream: streamId(stream), path: list.request(null).path }
}

/**
 * The time that is `count` intervals after a time, or before it if `count` is negative, in Unix seconds. A month that does not have the day
 * of the time ends the interval with its last day.
 */
export function timeAfter(time: number, interval: Series['interval'], count: number): number {
  if (interval !== 'month') return time + count * interval
  const begin = new Date(time * 1000)
  const [year, month] = [begin.getUTCFullYear(), begin.getUTCMonth() + count]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const sinceMidnight = begin.getTime() - Date.UTC(year, begin.getUTCMonth(), begin.getUTCDate())
  return (Date.UTC(year, month, Math.min(begin.getUTCDate(), lastDay)) + sinceMidnight) / 1000
}

/** The span of a list in Unix seconds, for an event; nothing where a time is unknown. */
export function spanOf(from: number | null, at: number | null, to: number | null) {
  return from === null || at === null || to === null ? {} : { span: { from, at, to } }
}

/** Services expire tokens after 24 hours (specification 000, part 8). Older tokens than this are not used. */
const oldestMs = 23 * 3_600_000

/** Whether a page token from the time `atMs` may still be used. A token from the future is not used: the clock was set back, and its age is unknown. */
export function isYoung(atMs: number | null, nowMs = Date.now()): boolean {
  return atMs !== null && atMs <= nowMs && nowMs - atMs < oldestMs
}
