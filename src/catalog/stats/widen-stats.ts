import type { LeafStats, Part } from '../../model.ts'
import type { CatalogColumn } from '../schema/catalog-columns.ts'
import { leavesOf } from '../schema/part-leaves.ts'
import type { Cell, Session } from '../session/session.ts'
import { settleAll } from '../session/settle-all.ts'
import { type ColumnStats, mergeStats, noValues, statsOfLeaf } from './column-stats.ts'

type AddedParts = {
  readonly id: number
  readonly parts: readonly Part[]
  /** Leaf columns. */
  readonly columns: readonly CatalogColumn[]
}

type Widened = {
  readonly tableId: number
  readonly column: CatalogColumn
  readonly leaves: readonly LeafStats[]
  readonly before: StoredStats | undefined
}
type StoredStats = Omit<ColumnStats, 'known'>

/**
 * Merges the parts into the statistics of their tables and columns. Call it before the parts are added as files.
 * Returns the first free row id of each table.
 */
export async function widenTables(session: Session, added: readonly AddedParts[]): Promise<Map<number, number>> {
  const ids = added.map(({ id }) => id).join(', ')
  const [counts, stored] = await settleAll([readCounts(session, ids), readColumnStats(session, ids)])
  const widened = added.flatMap(({ id, parts, columns }) => {
    const leaves = parts.map((part) => leavesOf(part, columns))
    return columns.map(
      (column, position): Widened => ({
        tableId: id,
        column,
        leaves: leaves.map((part) => part[position]).filter((leaf) => leaf !== undefined),
        before: stored.get(key(id, column.id)),
      }),
    )
  })
  const unknown = await readUnknown(session, widened)
  await writeColumnStats(
    session,
    widened.flatMap((column) => widenedRow(column, unknown, (counts.get(column.tableId)?.rows ?? 0) > 0)),
  )
  await countParts(session, added)
  return new Map([...counts].map(([id, { nextRowId }]) => [id, nextRowId]))
}

/** The new row of `ducklake_table_column_stats`; none if the parts change nothing. */
function widenedRow(widened: Widened, unknown: ReadonlySet<string>, hasRows: boolean): Cell[][] {
  const { tableId, column, leaves, before } = widened
  // A column that was added later is null in all older rows.
  const start: ColumnStats =
    before === undefined
      ? { ...noValues, containsNull: hasRows }
      : { ...before, known: before.min !== null || !unknown.has(key(tableId, column.id)) }
  const now = leaves.map(statsOfLeaf).reduce((sum, leaf) => mergeStats(column.type, sum, leaf), start)
  const same = before?.containsNull === now.containsNull && before.min === now.min && before.max === now.max
  return same ? [] : [[tableId, column.id, now.containsNull, null, now.min, now.max, null]]
}

async function readCounts(session: Session, ids: string): Promise<Map<number, { rows: number; nextRowId: number }>> {
  const rows = await session.rows(
    `SELECT table_id, record_count, next_row_id FROM main.ducklake_table_stats WHERE table_id IN (${ids})`,
  )
  return new Map(rows.map((row) => [row['table_id'], { rows: row['record_count'], nextRowId: row['next_row_id'] }]))
}

async function countParts(session: Session, added: readonly AddedParts[]): Promise<void> {
  const values = added.map(({ id, parts }) => {
    const rows = parts.reduce((sum, part) => sum + part.rows, 0)
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
    return `(${id}, ${rows}, ${bytes})`
  })
  await session.run(
    `UPDATE main.ducklake_table_stats AS s
     SET record_count = record_count + a.n, next_row_id = next_row_id + a.n, file_size_bytes = file_size_bytes + a.bytes
     FROM (VALUES ${values.join(', ')}) a(id, n, bytes) WHERE s.table_id = a.id`,
  )
}

async function readColumnStats(session: Session, ids: string): Promise<Map<string, StoredStats>> {
  const rows = await session.rows(
    `SELECT table_id, column_id, contains_null, min_value, max_value FROM main.ducklake_table_column_stats WHERE table_id IN (${ids})`,
  )
  return new Map(
    rows.map((row) => [
      key(row['table_id'], row['column_id']),
      { containsNull: row['contains_null'], min: row['min_value'], max: row['max_value'] },
    ]),
  )
}

/**
 * Finds columns with unknown bounds. A column has no stored bounds either because it has no values yet, or because a file has values but
 * no bounds. The difference matters only when a new file has bounds; only then this reads the statistics of the files.
 */
async function readUnknown(session: Session, widened: readonly Widened[]): Promise<Set<string>> {
  const doubtful = widened.filter(
    ({ before, leaves }) => before !== undefined && before.min === null && leaves.some((leaf) => leaf.min !== null),
  )
  if (doubtful.length === 0) return new Set()
  const pairs = doubtful.map(({ tableId, column }) => `(${tableId}, ${column.id})`).join(', ')
  const rows = await session.rows(
    `SELECT DISTINCT table_id, column_id FROM main.ducklake_file_column_stats
     WHERE (table_id, column_id) IN (${pairs}) AND value_count > 0 AND (min_value IS NULL OR max_value IS NULL)`,
  )
  return new Set(rows.map((row) => key(row['table_id'], row['column_id'])))
}

async function writeColumnStats(session: Session, rows: readonly Cell[][]): Promise<void> {
  if (rows.length === 0) return
  const pairs = rows.map(([tableId, columnId]) => `(${tableId}, ${columnId})`).join(', ')
  await session.run(`DELETE FROM main.ducklake_table_column_stats WHERE (table_id, column_id) IN (${pairs})`)
  await session.append('main', 'ducklake_table_column_stats', rows)
}

function key(tableId: number, columnId: number): string {
  return `${tableId}.${columnId}`
}
