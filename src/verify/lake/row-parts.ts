import type { InventoryFile } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import { sqlName } from '../../lib/text/sql-quote.ts'
import { type Bounds, type LakeRows, rowCount } from './lake-rows.ts'

/** Rows of some tables that are compared at once. Rows that belong together are in the same part. */
export type RowPart = {
  /** The files of a table that may hold rows of the part. */
  readonly filesOf: (table: Table) => Promise<readonly InventoryFile[]>
  /** An SQL condition that selects the rows of the part. `keys`: SQL values that are equal in rows that belong together. */
  readonly condition: (keys: readonly string[]) => string
}

export type Place = 'height' | 'block_number'

type PartsOptions = {
  /** A column that is equal in rows that belong together; null if there is none. */
  readonly place: Place | null
  /** About how many rows of all tables a part has. */
  readonly rowsAtOnce: number
}

/**
 * Cuts the rows of tables into parts. With a place, each part is a range of it, for which few files are read: the time grows with the number
 * of rows. Without, a part is what has the same remainder of a hash, and all rows are read for each part.
 */
export async function rowParts(
  rows: LakeRows,
  tables: readonly Table[],
  { place, rowsAtOnce }: PartsOptions,
): Promise<RowPart[]> {
  if (place === null) return hashParts(rows, tables, rowsAtOnce)
  const starts = await startsOf(rows, tables, place, rowsAtOnce)
  return [Number.NEGATIVE_INFINITY, ...starts].map((from, part) => {
    const next = starts[part] ?? Number.POSITIVE_INFINITY
    const ends = [
      ...(Number.isFinite(from) ? [`${sqlName(place)} >= ${from}`] : []),
      ...(Number.isFinite(next) ? [`${sqlName(place)} < ${next}`] : []),
    ]
    return {
      filesOf: (table) => rows.filesBetween(table, place, { from, to: next - 1 }),
      condition: () => (ends.length === 0 ? 'true' : `(${ends.join(' AND ')})`),
    }
  })
}

/**
 * The place among columns that rows which belong together share. Rows without a value are in no range, and only whole numbers have bounds in
 * the catalog: other columns are no place.
 */
export function placeAmong(names: readonly string[], tables: readonly Table[]): Place | null {
  const isPlace = ({ columns }: Table, name: Place): boolean =>
    columns[name]?.nullable === false && columns[name].type.kind === 'int64'
  const places = ['height', 'block_number'] as const
  return places.find((place) => names.includes(place) && tables.every((table) => isPlace(table, place))) ?? null
}

function hashParts(rows: LakeRows, tables: readonly Table[], rowsAtOnce: number): RowPart[] {
  const all = tables.reduce((sum, table) => sum + rowCount(rows.filesOf(table)), 0)
  const parts = Math.max(1, Math.ceil(all / rowsAtOnce))
  return Array.from({ length: parts }, (_, part) => ({
    filesOf: async (table) => rows.filesOf(table),
    condition: (keys) => (parts === 1 ? 'true' : `hash(${keys.join(', ')}) % ${parts} = ${part}`),
  }))
}

/** Some rows of a file, at most a quarter of a part. The portions of a file are assumed to be spread evenly between its bounds. */
type Portion = { readonly at: number; readonly rows: number }

/** The first places of all parts but the first. Most files have few rows, so their bounds say where the rows are. */
async function startsOf(rows: LakeRows, tables: readonly Table[], place: Place, rowsAtOnce: number): Promise<number[]> {
  const portions: Portion[] = []
  for (const table of tables)
    for (const { file, bounds } of await rows.boundedFiles(table, place))
      if (bounds !== null) portions.push(...portionsOf(file, bounds, rowsAtOnce / 4))
  const starts: number[] = []
  let sum = 0
  for (const { at, rows } of portions.sort((a, b) => a.at - b.at)) {
    sum += rows
    if (sum <= rowsAtOnce || at <= (starts.at(-1) ?? Number.NEGATIVE_INFINITY)) continue
    starts.push(at)
    sum = rows
  }
  return starts
}

function portionsOf({ rows }: InventoryFile, { from, to }: Bounds, most: number): Portion[] {
  const count = Math.max(1, Math.min(Math.ceil(rows / most), to - from + 1))
  return Array.from({ length: count }, (_, portion) => ({
    at: from + Math.floor(((to - from + 1) * portion) / count),
    rows: rows / count,
  }))
}
