import type { List } from '../../define/index.ts'
import { TransportError } from '../../errors.ts'
import { countText } from '../../lib/text/count-text.ts'
import { type Slice, type Stream, type Stretch, streamId } from '../../model.ts'

/**
 * A list that ended before the rows that earlier runs have read, twice in a run. What was known is kept. New rows are committed, except those of a
 * window: it does not count as read. Only this list ends with the error.
 */
export class EarlyEndError extends TransportError {}

/** Whether a list ends at the bottom of a stretch, as far as a run or the user decided. */
export function isEnd({ end, hole }: Stretch): boolean {
  return end || hole === 'accepted'
}

/** Whether a list no longer keeps items of a time, in Unix seconds; null where it is unknown. */
export function isBeyondRetention(time: number | null, retention: number | undefined, nowMs: number): boolean {
  return retention !== undefined && time !== null && time < nowMs / 1000 - retention
}

/**
 * `known`: Unix seconds of the newest row that the list did not reach; null where rows have no time. `items`: number of items that it had before
 * its end.
 */
export function earlyEnd(list: List, stream: Stream, known: number | null, items: number): EarlyEndError {
  const request = list.request(null)
  return new EarlyEndError(
    'The list ended twice before the rows that the lake has of it: the service left out items, or it no longer has them.',
    {
      code: 'transport.early-end',
      details: {
        stream: streamId(stream),
        ...('path' in request ? { path: request.path } : {}),
        'items before its end': countText(items),
        ...(known === null ? {} : { 'newest row that it did not reach': new Date(known * 1000).toISOString() }),
      },
      hint: 'New rows are committed, and nothing that was known is lost. Run again. If the service no longer has the items between, accept the gap (`chainlake gaps --accept`), or declare the retention of the list.',
    },
  )
}

/** A window was answered twice without the rows that the lake has of it. `known`: coordinate of the newest of them, a block or Unix seconds. */
export function earlyWindow(list: List, stream: Stream, window: Slice, known: number | null): EarlyEndError {
  const request = list.request(null)
  return new EarlyEndError(
    'The service answered twice without the rows that the lake has of a range: it left them out, or no longer has them.',
    {
      code: 'transport.early-end',
      details: {
        stream: streamId(stream),
        ...('path' in request ? { path: request.path } : {}),
        from: window.from,
        to: window.to,
        'newest row that it left out': known,
      },
      hint: 'The rows in the lake are kept, and nothing of the range counts as read. Run again. If the service no longer has these rows, do not read them again: set the trailing seconds or blocks of the list to 0.',
    },
  )
}
