import type { Table } from '../define/index.ts'
import { CatalogError } from '../errors.ts'
import { catalogTimeMicros } from '../lib/time.ts'
import { type LeafStats, type Part, type Progress, type Slice, type Stream, streamId } from '../model.ts'
import { readDataFilePath, tableFolder } from '../store/data-file-path.ts'
import type { TableIds } from './ensure-tables.ts'
import { type CatalogColumn, catalogColumns, isLeaf } from './schema.ts'
import { type Cell, filesOfTables, type Session, type Snapshot, settleAll } from './session.ts'
import { leavesOf, partitionValues } from './tables.ts'

/** A part and its file id. */
type AddedFile = { readonly id: number; readonly part: Part }

/** Adds parts as files of their tables in the given order, with statistics and partition values. */
export async function addFiles(
  session: Session,
  snapshot: Snapshot,
  tables: readonly Table[],
  known: ReadonlyMap<string, TableIds>,
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
  // Must run before the new files are in the catalog.
  const nextRowIds = await widenTables(session, added)
  for (const { table, id, partitionId, parts: own, columns } of added) {
    let rowId = nextRowIds.get(id) ?? 0
    for (const part of own) {
      const fileId = snapshot.nextFileId++
      files.push(fileRow(fileId, id, partitionId, snapshot.id, rowId, part))
      rowId += part.rows
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

function fileRow(
  fileId: number,
  tableId: number,
  partitionId: number | null,
  snapshotId: number,
  rowId: number,
  part: Part,
): Cell[] {
  const { rows, bytes, footerBytes } = part
  const path = pathInTable(part)
  return [
    fileId,
    tableId,
    snapshotId,
    null,
    null,
    path,
    true,
    'parquet',
    rows,
    bytes,
    footerBytes,
    rowId,
    partitionId,
    null,
    null,
    null,
  ]
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

/** The part of a commit that belongs to one stream: its progress, and the rows that it adds to each table. */
export type StreamFiles = {
  readonly stream: Stream
  readonly progress: Progress
  readonly tables: readonly TableSum[]
}

/** Records the files of a commit inside its transaction. */
export async function recordFiles(
  session: Session,
  { files, shares, runId }: { files: readonly AddedFile[]; shares: readonly StreamFiles[]; runId: string },
): Promise<void> {
  const sources = new Map<string, FileSource[]>()
  for (const { stream, progress, tables } of shares) {
    const slice = progress.kind === 'slice' ? progress.slice : null
    for (const { name, rows } of tables) {
      const own = sources.get(name) ?? []
      sources.set(name, own)
      if (rows > 0) own.push({ stream: streamId(stream), slice })
    }
  }
  const sourcesOf = ({ part }: AddedFile) => sources.get(part.table) ?? []
  await recordSources(session, files, sourcesOf, runId)
}

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
    return sourcesOf(file).map(({ stream, slice }) => [
      file.id,
      stream,
      slice?.from ?? null,
      slice?.to ?? null,
      ...written,
    ])
  })
  await session.append('chainlake', 'file', rows)
}

/** The end of the highest slice of each stream that has visible files. */
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
async function widenTables(session: Session, added: readonly AddedParts[]): Promise<Map<number, number>> {
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

/** Statistics of a column over several files. */
export type ColumnStats = {
  readonly containsNull: boolean
  /** Null when there are no values, or when the bounds are not `known`. */
  readonly min: string | null
  readonly max: string | null
  /** False when some file has values but no bounds. */
  readonly known: boolean
}

export const noValues: ColumnStats = { containsNull: false, min: null, max: null, known: true }

export function statsOfLeaf(leaf: LeafStats): ColumnStats {
  const hasBounds = leaf.min !== null && leaf.max !== null
  const hasValues = leaf.valueCount > leaf.nullCount
  return {
    containsNull: leaf.nullCount > 0,
    min: hasBounds ? leaf.min : null,
    max: hasBounds ? leaf.max : null,
    known: hasBounds || !hasValues,
  }
}

/** Merges two statistics. `type` is the catalog type, which determines how bounds compare. */
export function mergeStats(type: string, a: ColumnStats, b: ColumnStats): ColumnStats {
  const containsNull = a.containsNull || b.containsNull
  if (!a.known || !b.known) return { containsNull, min: null, max: null, known: false }
  return {
    containsNull,
    min: extreme(a.min, b.min, (x, y) => compareBounds(type, x, y) <= 0),
    max: extreme(a.max, b.max, (x, y) => compareBounds(type, x, y) >= 0),
    known: true,
  }
}

function extreme(a: string | null, b: string | null, prefersFirst: (a: string, b: string) => boolean): string | null {
  if (a === null || b === null) return a ?? b
  return prefersFirst(a, b) ? a : b
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
  return [...new Set(tables)].map((name) => {
    const own = parts.filter((part) => part.table === name)
    return {
      name,
      rows: own.reduce((sum, part) => sum + part.rows, 0),
      bytes: own.reduce((sum, part) => sum + part.bytes, 0),
    }
  })
}
