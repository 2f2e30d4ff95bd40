import type { CoverageRow } from '../catalog/catalog.ts'
import type { SliceEnds } from '../model.ts'
import type { RecordIds } from './record-ids.ts'

/**
 * The pieces of covered slices with their ends: those of the slice where a piece begins or ends with it, else what the rows say. What nobody
 * says is null, so that it is compared with nothing.
 */
export function withSplitEnds(
  pieces: readonly CoverageRow[],
  whole: readonly CoverageRow[],
  idsAt: (stream: string, coordinate: number) => RecordIds | undefined,
): CoverageRow[] {
  return pieces.map((piece) => {
    const { stream, table, slice } = piece
    const row = whole.find(
      (one) => one.stream === stream && one.table === table && one.slice.from <= slice.from && slice.to <= one.slice.to,
    )
    if (row === undefined) return piece
    const first = slice.from === row.slice.from ? null : idsAt(stream, slice.from)
    const last = slice.to === row.slice.to ? null : idsAt(stream, slice.to - 1)
    const endsOf = (
      known: SliceEnds | null,
      id: (ids: RecordIds) => string | null,
      parent: (ids: RecordIds) => string | null,
    ): SliceEnds | null => {
      if (known === null) return null
      const begin = first === null ? known : { firstId: first && id(first), firstParentId: first && parent(first) }
      const ends = {
        firstId: begin.firstId ?? null,
        firstParentId: begin.firstParentId ?? null,
        lastId: last === null ? known.lastId : ((last && id(last)) ?? null),
      }
      return ends.firstId === null && ends.lastId === null ? null : ends
    }
    return {
      ...piece,
      ends: endsOf(
        row.ends,
        ({ id }) => id,
        ({ parentId }) => parentId,
      ),
      blockEnds: endsOf(
        row.blockEnds,
        ({ blockId }) => blockId,
        ({ blockParentId }) => blockParentId,
      ),
    }
  })
}

/** The coordinates at which slices are split, by stream. */
export function splitPlaces(pieces: readonly CoverageRow[], whole: readonly CoverageRow[]): Map<string, number[]> {
  const places = new Map<string, Set<number>>()
  for (const { stream, table, slice } of pieces) {
    const own = places.get(stream) ?? new Set()
    places.set(stream, own)
    const isEnd = (at: number, end: 'from' | 'to') =>
      whole.some((row) => row.stream === stream && row.table === table && row.slice[end] === at)
    if (!isEnd(slice.from, 'from')) own.add(slice.from)
    if (!isEnd(slice.to, 'to')) own.add(slice.to - 1)
  }
  return new Map([...places].map(([stream, own]) => [stream, [...own]]))
}
