import type { List } from '../../define/index.ts'
import { TransportError } from '../../errors.ts'
import { countText } from '../../lib/text/count-text.ts'
import { type Stream, type Stretch, streamId } from '../../model.ts'

/**
 * A list that ended before the rows that earlier runs have read, twice in a run. Its new rows are committed, and what was known is kept: only
 * this list ends with the error.
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
