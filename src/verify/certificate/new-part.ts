import type { CoverageRow, Inventory, InventoryFile } from '../../catalog/catalog.ts'
import type { Slice } from '../../model.ts'
import { intersect, union } from '../../plan/intervals.ts'
import type { Certificate } from './certificate.ts'

/** An inventory in two parts. */
type InventoryParts = {
  /**
   * What is new since a certificate, as a separate inventory: each file with its whole slices, and only the coverage of these slices. All
   * lists and observations are in it, because their rows may belong to rows of earlier files.
   */
  readonly recent: Inventory
  /** The other files, which the certificate names with the same checksum. */
  readonly known: Inventory['tables']
}

/** Splits an inventory by the files that a certificate of the lake names. */
export function splitBy(inventory: Inventory, { files }: Pick<Certificate, 'files'>): InventoryParts {
  const isKnown = ({ path, sha256 }: InventoryFile) => sha256 !== null && files[path] === sha256
  const whole = new Set(inventory.tables.filter((table) => !table.files.every(isOfSlices)).map(({ name }) => name))
  const ranges = inventory.tables.filter(({ name }) => !whole.has(name)).flatMap((table) => table.files)
  const placeOf = (stream: string) => placeIn(inventory, stream)
  const slices = slicesOf(ranges, isKnown, placeOf)
  const isRecent = (table: string, file: InventoryFile) =>
    whole.has(table) || !isKnown(file) || overlaps(file, slices, placeOf)
  const part = (wanted: boolean): Inventory['tables'] =>
    inventory.tables.flatMap((table) => {
      const files = table.files.filter((file) => isRecent(table.name, file) === wanted)
      return files.length === 0 ? [] : [{ ...table, files }]
    })
  const coverage = inventory.coverage.flatMap((row) => (whole.has(row.table) ? [row] : cut(row, slices, placeOf)))
  return { recent: { ...inventory, tables: part(true), coverage }, known: part(false) }
}

type Slices = ReadonlyMap<string, readonly Slice[]>
type PlaceOf = (stream: string) => string

function isOfSlices({ sources }: InventoryFile): boolean {
  return sources.length > 0 && sources.every(({ slice }) => slice !== null)
}

/** The slices of the files that are not known, and of each known file that overlaps them, since its rows belong to theirs. */
function slicesOf(
  files: readonly InventoryFile[],
  isKnown: (file: InventoryFile) => boolean,
  placeOf: PlaceOf,
): Slices {
  const slices = new Map<string, readonly Slice[]>()
  let added = files.filter((file) => !isKnown(file))
  let left = files.filter(isKnown)
  while (added.length > 0) {
    for (const { sources } of added)
      for (const { stream, slice } of sources)
        if (slice !== null) slices.set(placeOf(stream), union(slices.get(placeOf(stream)) ?? [], [slice]))
    const touched = new Set(left.filter((file) => overlaps(file, slices, placeOf)))
    left = left.filter((file) => !touched.has(file))
    added = [...touched]
  }
  return slices
}

function overlaps({ sources }: InventoryFile, slices: Slices, placeOf: PlaceOf): boolean {
  return sources.some(
    ({ stream, slice }) => slice !== null && intersect([slice], slices.get(placeOf(stream)) ?? []).length > 0,
  )
}

/** The parts of a covered slice that are in the slices. The catalog does not know the first and the last block of a part. */
function cut(row: CoverageRow, slices: Slices, placeOf: PlaceOf): CoverageRow[] {
  return intersect([row.slice], slices.get(placeOf(row.stream)) ?? []).map((slice) =>
    slice.from === row.slice.from && slice.to === row.slice.to ? row : { ...row, slice, ends: null, blockEnds: null },
  )
}

/** Streams of one EVM chain share their block numbers, and the rows of one belong to rows of another. */
function placeIn({ streams }: Inventory, stream: string): string {
  const origin = streams.get(stream)
  return origin?.kind?.startsWith('evm-') ? `${origin.network} ${origin.chain}` : stream
}
