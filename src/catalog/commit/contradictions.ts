import { inDataFolder, readDataFilePath } from '../../store/data-file-path.ts'
import { readPartitions } from '../schema/known-tables.ts'
import { partitionOf } from '../schema/partition-values.ts'
import type { Session } from '../session/session.ts'

/** An inconsistency in the DuckLake tables about files or snapshots. */
export type Contradiction = {
  readonly message: string
  readonly table?: string
  readonly network?: string
  /** Relative to the lake. */
  readonly file?: string
  readonly expected?: string
  readonly found?: string
}

/** States that no commit writes. DuckLake readers would see other rows than the views, or none, or a file could not be verified. */
export async function readContradictions(session: Session): Promise<Contradiction[]> {
  return [
    ...(await readSnapshotGaps(session)),
    ...(await readTimeTravellers(session)),
    ...(await readDeletions(session)),
    ...(await readEndedColumns(session)),
    ...(await readMisplaced(session)),
    ...(await readUnrecorded(session)),
    ...(await readLostStreams(session)),
  ]
}

/** Streams of coverage, files and counts without a row of their own. */
async function readLostStreams(session: Session): Promise<Contradiction[]> {
  const named = ['coverage', 'file', 'written'].map((table) => `SELECT stream FROM chainlake.${table}`)
  const rows = await session.rows(
    `SELECT DISTINCT stream FROM (${named.join(' UNION ALL ')}) s
     WHERE stream NOT IN (SELECT stream FROM chainlake.stream) ORDER BY stream`,
  )
  return rows.map(({ stream }) => ({ message: `The catalog has rows of the stream ${stream}, but not the stream.` }))
}

/** Missing snapshots. Commits number snapshots consecutively, and the oldest expire first. */
async function readSnapshotGaps(session: Session): Promise<Contradiction[]> {
  const rows = await session.rows(
    `SELECT snapshot_id AS id, before FROM (SELECT snapshot_id, lag(snapshot_id) OVER (ORDER BY snapshot_id) AS before FROM main.ducklake_snapshot) s
     WHERE snapshot_id - before > 1 ORDER BY snapshot_id`,
  )
  return rows.map(({ id, before }) => ({
    message: `Snapshots between ${before} and ${id} are missing in the catalog.`,
    expected: `${before + 1}`,
    found: `${id}`,
  }))
}

const namedFiles = `main.ducklake_data_file d JOIN main.ducklake_table t ON t.table_id = d.table_id AND t.end_snapshot IS NULL`

async function readTimeTravellers(session: Session): Promise<Contradiction[]> {
  const rows = await session.rows(
    `SELECT t.table_name, t.path || d.path AS path, d.begin_snapshot AS begun, d.end_snapshot AS ended, s.latest
     FROM ${namedFiles}, (SELECT max(snapshot_id) AS latest FROM main.ducklake_snapshot) s
     WHERE d.begin_snapshot > s.latest OR d.end_snapshot > s.latest OR d.end_snapshot < d.begin_snapshot ORDER BY d.data_file_id`,
  )
  return rows.map((row) => ({
    message: `A file of ${row['table_name']} refers to snapshots that do not exist.`,
    table: row['table_name'],
    file: inDataFolder(row['path']),
    expected: `snapshots up to ${row['latest']}`,
    found: `from ${row['begun']}${row['ended'] === null ? ' on' : ` to ${row['ended']}`}`,
  }))
}

async function readDeletions(session: Session): Promise<Contradiction[]> {
  const rows = await session.rows(
    `SELECT t.table_name, t.path || d.path AS path, x.delete_count AS deleted
     FROM main.ducklake_delete_file x JOIN ${namedFiles} ON d.data_file_id = x.data_file_id ORDER BY x.delete_file_id`,
  )
  return rows.map((row) => ({
    message: `The catalog marks rows of a file of ${row['table_name']} as deleted, but chainlake never deletes rows.`,
    table: row['table_name'],
    file: inDataFolder(row['path']),
    expected: 'no deleted rows',
    found: `${row['deleted']} rows`,
  }))
}

/** Columns that ended before files with them were written. Merged files are exempt: they keep the columns of their sources. */
async function readEndedColumns(session: Session): Promise<Contradiction[]> {
  const rows = await session.rows(
    `SELECT t.table_name, c.column_name, c.end_snapshot AS ended, count(*) AS files
     FROM main.ducklake_column c
     JOIN main.ducklake_table t ON t.table_id = c.table_id AND t.end_snapshot IS NULL
     JOIN main.ducklake_file_column_stats s ON s.table_id = c.table_id AND s.column_id = c.column_id
     JOIN main.ducklake_data_file d ON d.data_file_id = s.data_file_id AND d.end_snapshot IS NULL
     WHERE c.end_snapshot <= d.begin_snapshot
       AND NOT EXISTS (SELECT 1 FROM main.ducklake_column o WHERE o.table_id = c.table_id AND o.column_id = c.column_id AND o.end_snapshot IS NULL)
       AND NOT EXISTS (SELECT 1 FROM chainlake.compacted_file k WHERE k.data_file_id = d.data_file_id)
     GROUP BY t.table_name, c.column_name, c.end_snapshot ORDER BY t.table_name, c.column_name, c.end_snapshot`,
  )
  return rows.map((row) => ({
    message: `In the catalog, column ${row['table_name']}.${row['column_name']} ended before files with it were written.`,
    table: row['table_name'],
    expected: `a column of ${row['files']} files`,
    found: `ended with snapshot ${row['ended']}`,
  }))
}

/** Files with folders that differ from their partition. Readers prune by both. */
async function readMisplaced(session: Session): Promise<Contradiction[]> {
  const partitions = await readPartitions(session)
  const rows = await session.rows(
    `SELECT t.table_name, t.path || d.path AS path, d.partition_id AS id,
       string_agg(coalesce(v.partition_value, chr(1)), chr(31) ORDER BY v.partition_key_index) AS partition
     FROM ${namedFiles} LEFT JOIN main.ducklake_file_partition_value v ON v.data_file_id = d.data_file_id
     WHERE d.end_snapshot IS NULL AND d.partition_id IS NOT NULL GROUP BY d.data_file_id, t.table_name, t.path, d.path, d.partition_id ORDER BY d.data_file_id`,
  )
  return rows.flatMap((row): Contradiction[] => {
    const file = inDataFolder(row['path'])
    const columns = partitions.get(row['id'])
    const folders = readDataFilePath(file)?.partition
    if (columns === undefined || folders === undefined) return []
    const values = row['partition'] === null ? [] : String(row['partition']).split('\u001f')
    const said = partitionOf(
      columns,
      values.map((value) => (value === '\u0001' ? null : value)),
    )
    const inPath = folders.map(({ value }) => value)
    if (said.length === inPath.length && said.every((value, at) => value === inPath[at])) return []
    const text = (list: readonly (string | null)[]) => list.map((value) => value ?? 'null').join(', ')
    return [
      {
        message: `The partition of a file of ${row['table_name']} in the catalog differs from its folders.`,
        table: row['table_name'],
        file,
        expected: text(inPath),
        found: text(said),
      },
    ]
  })
}

/** Files without a record of their sources and hash. Every commit writes one. */
async function readUnrecorded(session: Session): Promise<Contradiction[]> {
  const rows = await session.rows(
    `SELECT t.table_name, t.path || d.path AS path FROM ${namedFiles}
     WHERE d.end_snapshot IS NULL AND NOT EXISTS (SELECT 1 FROM chainlake.file f WHERE f.data_file_id = d.data_file_id) ORDER BY d.data_file_id`,
  )
  return rows.map((row) => ({
    message: `The catalog has no record of the sources and the hash of a file of ${row['table_name']}.`,
    table: row['table_name'],
    file: inDataFolder(row['path']),
    expected: 'a record of the file',
    found: 'none',
  }))
}
