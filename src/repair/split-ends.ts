import type { CoverageRow } from '../catalog/catalog.ts'
import type { SliceEnds } from '../model.ts'
import type { RecordIds } from './record-ids.ts'

/**
 * Adds the ends to parts of split slices. A part keeps the end of the whole slice where both begin or end; at a split the rows of the lake
 * give the ids. An id that the rows do not have is null, so that later runs compare nothing with it.
 */
export function withSplitEnds(
  parts: readonly CoverageRow[],
  whole: readonly CoverageRow[],
  idsAt: (stream: string, coordinate: number) => RecordIds | undefined,
): CoverageRow[] {
  return parts.map((part) => {
    const { stream, table, slice } = part
    const row = whole.find(
      (one) => one.stream === stream && one.table === table && one.slice.from <= slice.from && slice.to <= one.slice.to,
    )
    if (row === undefined) return part
    const split = {
      first: slice.from === row.slice.from ? null : idsAt(stream, slice.from),
      last: slice.to === row.slice.to ? null : idsAt(stream, slice.to - 1),
    }
    return {
      ...part,
      ends: splitEnds(row.ends, split, 'id', 'parentId'),
      blockEnds: splitEnds(row.blockEnds, split, 'blockId', 'blockParentId'),
    }
  })
}

/** The records at the ends of a part; null where it ends with the whole slice, undefined where the lake has no row. */
type Split = { readonly first: RecordIds | null | undefined; readonly last: RecordIds | null | undefined }

function splitEnds(
  known: SliceEnds | null,
  { first, last }: Split,
  id: 'id' | 'blockId',
  parent: 'parentId' | 'blockParentId',
): SliceEnds | null {
  if (known === null) return null
  const begin = first === null ? known : { firstId: first?.[id], firstParentId: first?.[parent] }
  const ends = {
    firstId: begin.firstId ?? null,
    firstParentId: begin.firstParentId ?? null,
    lastId: last === null ? known.lastId : (last?.[id] ?? null),
  }
  return ends.firstId === null && ends.lastId === null ? null : ends
}

/** The coordinates at which slices are split, by stream. */
export function splitPlaces(parts: readonly CoverageRow[], whole: readonly CoverageRow[]): Map<string, number[]> {
  const coordinates = new Map<string, Set<number>>()
  for (const { stream, table, slice } of parts) {
    const own = coordinates.get(stream) ?? new Set()
    coordinates.set(stream, own)
    const isEnd = (at: number, end: 'from' | 'to') =>
      whole.some((row) => row.stream === stream && row.table === table && row.slice[end] === at)
    if (!isEnd(slice.from, 'from')) own.add(slice.from)
    if (!isEnd(slice.to, 'to')) own.add(slice.to - 1)
  }
  return new Map([...coordinates].map(([stream, own]) => [stream, [...own]]))
}
