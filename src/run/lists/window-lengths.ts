import { coordinateOf } from '../../decode/requested-rows.ts'
import type { List, Page, RangeWalk, RequestedRange } from '../../define/index.ts'
import { HttpError } from '../../errors.ts'
import type { Slice } from '../../model.ts'
import { adaptWindows, windowTooLarge } from '../../sources/window-size.ts'

/** Desired number of pages per window: worth a request, and few enough to be read one after another. */
const goodPages = 32
/** A window is cut when more pages than this are expected. Its pages are then requested again. */
const manyPages = 2 * goodPages
/** A window with more pages is cut in two. */
const mostPages = 400
/** A range that the service refuses is requested in this many parts. */
const partsOfRefused = 8

/** The window length of a range, adapted to the number of pages. */
export type WindowLengths = {
  readonly current: () => number
  /** Checks the pages of a window so far. Throws `windowTooLarge` when shorter windows must be read instead. */
  readonly judge: (window: Slice, pages: readonly Page[], list: List) => void
  /** Handles a refused first page. Throws `windowTooLarge` if a shorter window may be accepted, otherwise the error. */
  readonly refused: (window: Slice, error: unknown) => never
  /** A window was read to its end. */
  readonly read: (window: Slice, pages: number) => void
}

/**
 * The first window is the rest of the range, so that a range without rows costs one request. Windows become shorter when the first pages
 * predict many pages, which are then read in parallel. Each height has its own list: windows of heights begin short and grow.
 */
export function windowLengths({ kind, first }: Pick<RangeWalk, 'kind' | 'first'>): WindowLengths {
  const isByHeight = kind === 'heightRange'
  const largest = Number.MAX_SAFE_INTEGER
  const size = adaptWindows({
    first: isByHeight ? first : largest,
    largest,
    good: goodPages,
    growth: isByHeight ? 4 : 16,
  })
  /** The longest window that the service is known to accept. */
  let accepted = largest
  return {
    current: () => Math.min(size.current(), accepted),
    judge({ from, to }, pages, { requested }) {
      const length = to - from
      if (length > 1 && pages.length > mostPages) {
        size.tooLarge(length)
        throw windowTooLarge('A window has more pages than fit into memory.', { from, to, pages: pages.length })
      }
      if (isByHeight || length === 1 || requested?.range === undefined || !isTimeToJudge(pages)) return
      const { density, left } = foreseen(
        { from, to },
        pages.slice(Math.min(pages.length - 2, pages.length / 2)),
        requested.range,
      )
      if (density * left <= manyPages) return
      size.answered(length, Math.ceil(density * length))
      const details = { from, to, 'pages foreseen': Math.ceil(density * left) }
      throw windowTooLarge('A window has too many pages to read one after another.', details)
    },
    refused({ from, to }, error) {
      if (isByHeight || to - from <= first || !isRefusedRange(error)) throw error
      accepted = Math.min(accepted, Math.max(first, Math.floor((to - from) / partsOfRefused)))
      throw windowTooLarge('The service refuses a window of this length.', { from, to })
    },
    read: ({ from, to }, pages) => size.answered(to - from, pages),
  }
}

/** Whether a service refuses a range that is too long. The texts differ between services. */
function isRefusedRange(error: unknown): boolean {
  return error instanceof HttpError && [400, 413, 422].includes(error.status)
}

/** After 2, 4, 8, … pages of an unfinished list: few pages are requested twice if the first pages were misleading. */
function isTimeToJudge(pages: readonly Page[]): boolean {
  const { length } = pages
  return length > 1 && (length & (length - 1)) === 0 && pages.at(-1)?.next !== null
}

/** Pages per coordinate, estimated from some pages, and the number of coordinates left. Lists are ascending or descending. */
function foreseen(
  { from, to }: Slice,
  pages: readonly Page[],
  range: RequestedRange,
): { density: number; left: number } {
  const spans = pages.flatMap(({ rows }) => spanOf(Object.values(rows).flat(), range))
  const [first] = spans
  const last = spans.at(-1)
  if (first === undefined || last === undefined) return { density: 0, left: 0 }
  const least = Math.min(first.least, last.least)
  const most = Math.max(first.most, last.most)
  const isUpwards = last.least + last.most > first.least + first.most
  return { density: pages.length / (most - least + 1), left: isUpwards ? to - 1 - most : least - from }
}

/** The lowest and the highest coordinate of rows; empty without rows. */
function spanOf(rows: readonly object[], range: RequestedRange): { least: number; most: number }[] {
  if (rows.length === 0) return []
  const coordinates = rows.map((row) => coordinateOf(row as Readonly<Record<string, unknown>>, range))
  return [{ least: Math.min(...coordinates), most: Math.max(...coordinates) }]
}
