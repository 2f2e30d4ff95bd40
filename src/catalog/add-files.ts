import type { Table } from '../define/index.ts'
import { CatalogError } from '../errors.ts'
import { catalogTimeMicros } from '../lib/time.ts'
import { type LeafStats, type Part, type Slice, type Stream, streamId } from '../model.ts'
import { readDataFilePath, tableFolder } from '../store/data-file-path.ts'
import { type CatalogColumn, catalogColumns, isLeaf } from './schema.ts'
import { type Cell, filesOfTables, type Session, type Snapshot, sliceCells } from './session.ts'
import { type KnownTable, leavesOf, partitionValues } from './tables.ts'

type AddedFile = { readonly id: number; readonly part: Part }

/** Adds parts as files of their tables in the given order, with statistics and partition values. */
export async function addFiles(
  session: Session,
  snapshot: Snapshot,
  tables: readonly Table[],
  known: ReadonlyMap<string, Pick<KnownTable, 'id' | 'partitionId'>>,
  parts: readonly Part[],
): Promise<AddedFile[]> {
  if (parts.length === 0) return []
  const result: AddedFile[] = []
  const files: Cell[][] = []
  const stats: Cell[][] = []
  const partitions: Cell[][] = []
  const added = tables.flatMap((table) => {
    const { id, partitionId } = known.get(table.name) ?? { id: 0, partitionId: null }
    const own = parts.filter((part) => part.table === table.name)
    return own.length === 0
      ? []
      : [{ table, id, partitionId, parts: own, columns: catalogColumns(table).filter(isLeaf) }]
  })
  const nextRowIds = await widenTables(session, added)
  for (const { table, id, partitionId, parts: own, columns } of added) {
    let rowId = nextRowIds.get(id) ?? 0
    for (const part of own) {
      const fileId = snapshot.nextFileId++
      const { rows, bytes, footerBytes } = part
      const place = [fileId, id, snapshot.id, null, null, pathInTable(part), true, 'parquet']
      files.push([...place, rows, bytes, footerBytes, rowId, partitionId, null, null, null])
      rowId += rows
      result.push({ id: fileId, part })
      for (const leaf of leavesOf(part, columns)) stats.push(statsRow(fileId, id, leaf))
      partitionValues(table, part.partition).forEach((value, position) => {
        partitions.push([fileId, id, position, value])
      })
    }
    snapshot.changes.push(`inserted_into_table:${id}`)
  }
  await session.append('main', 'ducklake_data_file', files)
  await session.append('main', 'ducklake_file_column_stats', stats)
  await session.append('main', 'ducklake_file_partition_value', partitions)
  return result
}

/** In this table, DuckLake counts values without nulls. */
function statsRow(fileId: number, tableId: number, leaf: LeafStats): Cell[] {
  const { fieldId, columnBytes, valueCount, nullCount, min, max } = leaf
  return [fileId, tableId, fieldId, columnBytes, valueCount - nullCount, nullCount, min, max, null, null]
}

function pathInTable(part: Part): string {
  const folder = tableFolder(part.table)
  if (part.path.startsWith(folder)) return part.path.slice(folder.length)
  throw new CatalogError('A new file is not in the folder of its table.', {
    code: 'catalog.part',
    details: { path: part.path, expected: `${folder}…` },
  })
}

/** `slice` is null for streams that are not read by range. */
export type FileSource = { readonly stream: string; readonly slice: Slice | null }

/** Records the sources of new files, and who wrote them: another run may have written a staged part. */
export async function recordSources(
  session: Session,
  files: readonly AddedFile[],
  sourcesOf: (file: AddedFile) => readonly FileSource[],
  runId: string,
): Promise<void> {
  const rows = files.flatMap((file): Cell[][] => {
    const { path, sha256, rows } = file.part
    const written = [readDataFilePath(path)?.runId ?? runId, sha256, rows]
    return sourcesOf(file).map(({ stream, slice }) => [file.id, stream, ...sliceCells(slice), ...written])
  })
  await session.append('chainlake', 'file', rows)
}

export async function readFileEnds(session: Session): Promise<Map<string, number>> {
  const rows = await session.rows(
    `SELECT f.stream, max(f.slice_to) AS covered FROM chainlake.file f JOIN main.ducklake_data_file d USING (data_file_id)
     WHERE d.end_snapshot IS NULL AND f.slice_to IS NOT NULL GROUP BY f.stream`,
  )
  return new Map(rows.map(({ stream, covered }) => [stream, covered]))
}

/** Rows and bytes that commits without a slice have added to a table for a stream. */
export type WrittenRow = {
  readonly stream: string
  readonly table: string
  readonly rows: number
  readonly bytes: number
}

export async function readWritten(session: Session): Promise<WrittenRow[]> {
  return session.rows(
    `SELECT stream, table_name AS "table", row_count AS "rows", byte_count AS bytes FROM chainlake.written
     ORDER BY stream, table_name`,
  )
}

/** Adds the rows and bytes of a commit without a slice. */
export async function addWritten(
  session: Session,
  added: { runId: string; snapshotId: number; stream: Stream; tables: readonly TableSum[] },
): Promise<void> {
  const id = streamId(added.stream)
  const known = await session.rows('SELECT table_name FROM chainlake.written WHERE stream = $1', [id])
  const names = new Set(known.map((row) => row['table_name']))
  for (const { name, rows, bytes } of added.tables)
    await session.run(
      names.has(name)
        ? `UPDATE chainlake.written SET row_count = row_count + $3, byte_count = byte_count + $4, last_run_id = $5, last_snapshot_id = $6
           WHERE stream = $1 AND table_name = $2`
        : 'INSERT INTO chainlake.written VALUES ($1, $2, $3, $4, $5, $6)',
      [id, name, rows, bytes, added.runId, added.snapshotId],
    )
}

/**
 * Hides visible files of a table inside a transaction: they are not part of this and later snapshots. Earlier snapshots show them until
 * they expire. DuckLake calls such files scheduled for deletion.
 */
export async function endFiles(
  session: Session,
  snapshot: Pick<Snapshot, 'id'>,
  tableId: number,
  ids: readonly number[],
): Promise<void> {
  const list = ids.join(', ')
  await session.run(
    `UPDATE main.ducklake_table_stats SET record_count = record_count - e.n, file_size_bytes = file_size_bytes - e.bytes
     FROM (SELECT sum(record_count)::BIGINT AS n, sum(file_size_bytes)::BIGINT AS bytes FROM main.ducklake_data_file WHERE data_file_id IN (${list})) e
     WHERE table_id = $1`,
    [tableId],
  )
  await session.run(`UPDATE main.ducklake_data_file SET end_snapshot = $1 WHERE data_file_id IN (${list})`, [
    snapshot.id,
  ])
  await session.run(
    `INSERT INTO main.ducklake_files_scheduled_for_deletion
     SELECT d.data_file_id, t.path || d.path, true, now() FROM ${filesOfTables}
     WHERE d.data_file_id IN (${list}) ORDER BY d.data_file_id`,
  )
}

type AddedParts = {
  readonly id: number
  readonly parts: readonly Part[]
  /** Leaf columns. */
  readonly columns: readonly CatalogColumn[]
}

/**
 * Merges the parts into the statistics of their tables and columns. Returns the first free row id of each table. A column has statistics from
 * its first value on; before that it is null in all rows.
 */
async function widenTables(session: Session, added: readonly AddedParts[]): Promise<Map<number, number>> {
  const stored = await readColumnStats(session, added.map(({ id }) => id).join(', '))
  const totals = await countParts(session, added)
  const widened = added.flatMap(({ id, parts, columns }) => {
    const leaves = parts.map((part) => leavesOf(part, columns))
    return columns.flatMap((column, position): Cell[][] => {
      const before = stored.get(key(id, column.id)) ?? null
      const files = leaves.flatMap((part) => part[position] ?? [])
      const wasNull = before === null && (totals.get(id)?.rowsBefore ?? 0) > 0
      const now = mergedStats(column.type, before, files)
      if (now === null) return []
      const containsNull = wasNull || now.containsNull
      const isSame = before?.containsNull === containsNull && before.min === now.min && before.max === now.max
      return isSame ? [] : [[id, column.id, containsNull, null, now.min, now.max, null]]
    })
  })
  await writeColumnStats(session, widened)
  return new Map([...totals].map(([id, { nextRowId }]) => [id, nextRowId]))
}

/** Adds the parts to the sizes of their tables. Returns what each table had before. */
async function countParts(session: Session, added: readonly AddedParts[]) {
  const sums = new Map(added.map(({ id, parts }) => [id, sumOf(parts)]))
  const values = [...sums].map(([id, { rows, bytes }]) => `(${id}, ${rows}, ${bytes})`)
  const after = await session.rows(
    `UPDATE main.ducklake_table_stats AS s
     SET record_count = s.record_count + a.n, next_row_id = s.next_row_id + a.n, file_size_bytes = s.file_size_bytes + a.bytes
     FROM (VALUES ${values.join(', ')}) a(id, n, bytes) WHERE s.table_id = a.id
     RETURNING s.table_id, s.record_count, s.next_row_id`,
  )
  return new Map(
    after.map(({ table_id: id, record_count: count, next_row_id: next }) => {
      const rows = sums.get(id)?.rows ?? 0
      return [Number(id), { rowsBefore: Number(count - rows), nextRowId: Number(next - rows) }] as const
    }),
  )
}

async function readColumnStats(session: Session, ids: string): Promise<Map<string, ColumnStats>> {
  const rows = await session.rows(
    `SELECT table_id AS id, column_id AS "column", contains_null AS "containsNull", min_value AS min, max_value AS max
     FROM main.ducklake_table_column_stats WHERE table_id IN (${ids})`,
  )
  return new Map(rows.map(({ id, column, containsNull, min, max }) => [key(id, column), { containsNull, min, max }]))
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

/** Statistics of a column with values. The bounds are null if a file with values does not state both of them. */
type ColumnStats = { readonly containsNull: boolean; readonly min: string | null; readonly max: string | null }

/** Merges files into the statistics of a column; null while there is no value. `type` is the catalog type, which determines how bounds compare. */
export function mergedStats(
  type: string,
  before: ColumnStats | null,
  files: readonly Pick<LeafStats, 'valueCount' | 'nullCount' | 'min' | 'max'>[],
): ColumnStats | null {
  const withValues = files.filter(({ valueCount, nullCount }) => valueCount > nullCount)
  const all = before === null ? withValues : [before, ...withValues]
  if (all.length === 0) return null
  const containsNull = before?.containsNull === true || files.some(({ nullCount }) => nullCount > 0)
  const bounds = all.flatMap(({ min, max }) => (min === null || max === null ? [] : [{ min, max }]))
  if (bounds.length < all.length) return { containsNull, min: null, max: null }
  const order = (a: string, b: string) => compareBounds(type, a, b)
  const [min] = bounds.map((each) => each.min).sort(order)
  const max = bounds
    .map((each) => each.max)
    .sort(order)
    .at(-1)
  return { containsNull, min: min ?? null, max: max ?? null }
}

/**
 * Compares two bounds in the order of their type: numbers as numbers, times as times, everything else by UTF-8 bytes. For the
 * hexadecimal text of a blob this is the order of its bytes. The texts have the form that DuckLake writes.
 */
export function compareBounds(type: string, a: string, b: string): number {
  if (type === 'int64' || type.startsWith('decimal')) return compare(BigInt(a), BigInt(b))
  if (type === 'float64') return compare(Number(a), Number(b))
  if (type === 'timestamptz') return compare(microseconds(a), microseconds(b))
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function compare<T extends number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function microseconds(text: string): bigint {
  const time = catalogTimeMicros(text)
  if (time !== null) return time
  throw new CatalogError('A statistic of a time column is not a valid time.', {
    code: 'catalog.statistics',
    details: { value: text },
  })
}

/** Rows and bytes that a commit adds to a table. */
export type TableSum = { readonly name: string; readonly rows: number; readonly bytes: number }

/** The sums of every table, including tables without parts. */
export function tableSums(tables: readonly string[], parts: readonly Part[]): TableSum[] {
  return [...new Set(tables)].map((name) => ({ name, ...sumOf(parts.filter((part) => part.table === name)) }))
}

function sumOf(parts: readonly Part[]): Omit<TableSum, 'name'> {
  return {
    rows: parts.reduce((sum, part) => sum + part.rows, 0),
    bytes: parts.reduce((sum, part) => sum + part.bytes, 0),
  }
}
