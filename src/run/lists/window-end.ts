import { coordinateOf } from '../../decode/requested-rows.ts'
import type { List, Page, RequestedRange } from '../../define/index.ts'
import type { Slice } from '../../model.ts'

/** A page with fewer items is not full, where the request does not say how many items a page has. */
const leastFullPage = 10

/**
 * Watches the lists of a slice for an end that comes too early, such as a full page without a token, or an empty page behind others. Takes
 * each list with its pages, and returns the part of the slice to read next: what follows the last item, with that item. Null when the end is
 * plausible, or when the last list had no new item.
 */
export function watchListEnd(slice: Slice): (list: List, pages: readonly Page[]) => Slice | null {
  const seen = new Set<string>()
  const read: Page[] = []
  return (list, pages) => {
    const known = seen.size
    read.push(...pages)
    for (const { items } of pages) for (const { key } of items) seen.add(key)
    const range = list.requested?.range
    if (range === undefined || seen.size === known || !mayEndEarly(list, pages)) return null
    return restOf(slice, read, range)
  }
}

/**
 * Whether the answer for a window left out what the lake has of it: no row is as old as the newest known one. `known`: its coordinate; null
 * without one.
 */
export function leavesOut(pages: readonly Page[], window: Slice, range: RequestedRange, known: number | null): boolean {
  if (known === null || known < window.from || known >= window.to) return false
  return !pages.some(({ rows }) =>
    Object.values(rows).some((own) => own.some((row) => coordinateOf(row, range) <= known)),
  )
}

function mayEndEarly(list: List, pages: readonly Page[]): boolean {
  const last = pages.at(-1)?.items.length ?? 0
  if (pages.length === 1) return last >= (pageSizeOf(list) ?? leastFullPage)
  // Lists with counted pages have an empty page at their end.
  if (last === 0) return list.isCounted !== true
  return last === Math.max(...pages.map(({ items }) => items.length))
}

/** What a request says about the number of items on a page, such as `pageSize=100`; null where it says nothing. */
function pageSizeOf(list: List): number | null {
  const request = list.request(null)
  const query = Object.entries(('query' in request ? request.query : undefined) ?? {})
  const [, size] = query.find(([name]) => /size|limit|count|per/i.test(name)) ?? []
  return Number(size) > 0 ? Number(size) : null
}

/** The part of a slice that follows the last row of its pages, in the order of the rows; null where nothing follows. */
function restOf(slice: Slice, pages: readonly Page[], range: RequestedRange): Slice | null {
  const tables = new Map<string, number[]>()
  for (const { rows } of pages)
    for (const [table, own] of Object.entries(rows as Readonly<Record<string, readonly Record<string, unknown>[]>>)) {
      const known = tables.get(table) ?? []
      tables.set(table, known)
      for (const row of own) known.push(coordinateOf(row, range))
    }
  const all = [...tables.values()].flat()
  const [longest = []] = [...tables.values()].sort((a, b) => b.length - a.length)
  const [first, last] = [longest[0], longest.at(-1)]
  if (first === undefined || last === undefined) return null
  const most = all.reduce((a, b) => Math.max(a, b), first)
  const least = all.reduce((a, b) => Math.min(a, b), first)
  const rest = first < last ? { from: most, to: slice.to } : { from: slice.from, to: least + 1 }
  const length = rest.to - rest.from
  return length > 1 && length < slice.to - slice.from ? rest : null
}
