import { inDataFolder } from '../../store/data-file-path.ts'
import { readPartitions } from '../schema/known-tables.ts'
import { partitionOf } from '../schema/partition-values.ts'
import type { Row, Session } from '../session/session.ts'
import { latestSnapshotId } from '../session/snapshot.ts'
import type { FileSource } from './file-facts.ts'

/** A visible file that may be merged with others of its table and partition. */
export type SmallFile = {
  readonly id: number
  /** Relative to the lake, with `/`. */
  readonly path: string
  readonly rows: number
  readonly bytes: number
  /** The snapshot that added it. */
  readonly since: number
  /** One value for each key of the partitioning, as in `Part`. */
  readonly partition: readonly (string | null)[]
  /** The maximum number of times that its rows were rewritten. */
  readonly level: number
  /** Bounds of a column in the text form of the catalog; null if unknown. */
  readonly bounds: (column: string) => Bounds | null
  /** The sources of its rows. */
  readonly sources: readonly FileSource[]
}

type Bounds = { readonly min: string; readonly max: string }

export type SmallFiles = {
  readonly snapshotId: number
  /** In commit order. */
  readonly files: readonly SmallFile[]
  /** The ends of the coverage of streams that are read by range. */
  readonly ends: ReadonlyMap<string, number>
}

export type SmallFilesOptions = {
  readonly table: string
  /** Only files smaller than this, in bytes. */
  readonly below: number
  /** Only files up to this level. */
  readonly upTo: number
  /** Columns with bounds to read. */
  readonly columns: readonly string[]
}

/** The small visible files of a table, with their properties. */
export async function readSmallFiles(
  session: Session,
  { table: name, below, upTo, columns }: SmallFilesOptions,
): Promise<SmallFiles> {
  const snapshotId = await latestSnapshotId(session)
  const table = await findTable(session, name)
  if (table === null) return { snapshotId, files: [], ends: new Map() }
  const rows = await session.rows(
    `SELECT d.data_file_id AS id, t.path || d.path AS path, d.record_count, d.file_size_bytes, d.begin_snapshot, coalesce(c.level, 0) AS level
     FROM main.ducklake_data_file d JOIN main.ducklake_table t ON t.table_id = d.table_id AND t.end_snapshot IS NULL
     LEFT JOIN chainlake.compacted_file c USING (data_file_id)
     WHERE d.table_id = ${table.id} AND d.end_snapshot IS NULL AND d.partition_id IS NOT DISTINCT FROM ${table.partitionId ?? 'NULL'}
       AND d.file_size_bytes < $1 AND coalesce(c.level, 0) <= $2
     ORDER BY d.data_file_id`,
    [below, upTo],
  )
  if (rows.length === 0) return { snapshotId, files: [], ends: new Map() }
  const partitions = (await readPartitions(session)).get(table.partitionId ?? -1) ?? []
  const ids = `(${rows.map((row) => row['id']).join(', ')})`
  const values = await readValues(session, ids)
  const bounds = await readBounds(session, ids, await readColumns(session, table.id, columns))
  const sources = await readSources(session, ids)
  const files = rows.flatMap((row): SmallFile[] => {
    const id: number = row['id']
    const own = sources.get(id)
    if (own === undefined) return []
    return [
      {
        id,
        path: inDataFolder(row['path']),
        rows: row['record_count'],
        bytes: row['file_size_bytes'],
        since: row['begin_snapshot'],
        partition: partitionOf(partitions, values.get(id) ?? []),
        level: row['level'],
        bounds: (column) => bounds.get(`${id} ${column}`) ?? null,
        sources: own,
      },
    ]
  })
  return { snapshotId, files, ends: await readEnds(session, name) }
}

/** Reads only one table: all tables with their columns would be a hundred times as much. */
async function findTable(
  session: Session,
  name: string,
): Promise<{ readonly id: number; readonly partitionId: number | null } | null> {
  const [row] = await session.rows(
    `SELECT t.table_id, p.partition_id FROM main.ducklake_table t
     LEFT JOIN main.ducklake_partition_info p ON p.table_id = t.table_id AND p.end_snapshot IS NULL
     WHERE t.end_snapshot IS NULL AND t.table_name = $1`,
    [name],
  )
  return row === undefined ? null : { id: row['table_id'], partitionId: row['partition_id'] }
}

async function readColumns(session: Session, tableId: number, names: readonly string[]): Promise<Map<number, string>> {
  const rows = await session.rows(
    `SELECT column_id, column_name FROM main.ducklake_column
     WHERE table_id = ${tableId} AND end_snapshot IS NULL AND parent_column IS NULL AND column_name = ANY($1)`,
    [names],
  )
  return new Map(rows.map((row) => [row['column_id'], row['column_name']]))
}

async function readValues(session: Session, ids: string): Promise<Map<number, (string | null)[]>> {
  const rows = await session.rows(
    `SELECT data_file_id AS id, partition_key_index AS position, partition_value AS value
     FROM main.ducklake_file_partition_value WHERE data_file_id IN ${ids}`,
  )
  const values = new Map<number, (string | null)[]>()
  for (const { id, position, value } of rows) {
    const own = values.get(id) ?? []
    values.set(id, own)
    own[position] = value
  }
  return values
}

async function readBounds(
  session: Session,
  ids: string,
  columns: ReadonlyMap<number, string>,
): Promise<Map<string, Bounds>> {
  if (columns.size === 0) return new Map()
  const rows = await session.rows(
    `SELECT data_file_id AS id, column_id, min_value AS min, max_value AS max FROM main.ducklake_file_column_stats
     WHERE data_file_id IN ${ids} AND column_id IN (${[...columns.keys()].join(', ')}) AND null_count = 0 AND min_value IS NOT NULL AND max_value IS NOT NULL`,
  )
  return new Map(rows.map(({ id, column_id, min, max }) => [`${id} ${columns.get(column_id)}`, { min, max }]))
}

async function readSources(session: Session, ids: string): Promise<Map<number, FileSource[]>> {
  const rows = await session.rows(
    `SELECT data_file_id AS id, stream, slice_from, slice_to FROM chainlake.file WHERE data_file_id IN ${ids} ORDER BY rowid`,
  )
  const sources = new Map<number, FileSource[]>()
  for (const row of rows) {
    const own = sources.get(row['id']) ?? []
    sources.set(row['id'], own)
    own.push(sourceOf(row))
  }
  return sources
}

export function sourceOf({ stream, slice_from: from, slice_to: to }: Row): FileSource {
  return { stream, slice: from === null ? null : { from, to } }
}

async function readEnds(session: Session, table: string): Promise<Map<string, number>> {
  const rows = await session.rows(
    'SELECT stream, max(slice_to) AS covered FROM chainlake.coverage WHERE table_name = $1 GROUP BY stream',
    [table],
  )
  return new Map(rows.map((row) => [row['stream'], row['covered']]))
}
