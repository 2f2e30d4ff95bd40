import { isDeepStrictEqual } from 'node:util'
import { groupBy } from '../../lib/arrays.ts'
import type { CatalogFile, LeafStats } from '../../model.ts'
import { readDataFilePath } from '../../store/data-file-path.ts'
import { type FileSource, readWritten } from '../add-files.ts'
import { readPartitioned, readRecords, readTableFiles } from '../files.ts'
import { readEarlierFiles, readStagedFiles, readTablesWithLosses } from '../lost-files.ts'
import { keepsFiles, readRuns } from '../runs.ts'
import { filesOfTables, type Locks, latestSnapshot, pathOfFile, type Session } from '../session.ts'
import { type NetworkFacts, readAnchors, readNetwork, readStrangeViews, readStreamFacts } from '../streams.ts'
import { type KnownTable, readDeclaredTables, readTables } from '../tables.ts'
import { readAllStretches, readCoverage, readListCounts } from './coverage.ts'

/** A visible file with its record in the catalog, without statistics. */
export type InventoryFile = CatalogFile & {
  /** Length of the Parquet metadata in bytes. */
  readonly footerBytes: number
  /** The network of its partition; null if the table is not partitioned by network. */
  readonly network: string | null
  /** SHA-256, hexadecimal; null if the catalog has no record of the file, which is a contradiction. */
  readonly sha256: string | null
  /** The rows that the commit of the file recorded; null if the catalog has no record of the file. */
  readonly committedRows: number | null
  /** Streams and slices that may have rows in it; empty if the catalog has no record of the file. */
  readonly sources: readonly FileSource[]
}

export type InventoryTable = Pick<KnownTable, 'id' | 'columns'> & {
  readonly name: string
  /** In commit order. */
  readonly files: readonly InventoryFile[]
}

/** All records of a catalog about the lake, at one moment. */
export type Inventory = Readonly<Awaited<ReturnType<typeof readInventory>>>

export async function readInventory(session: Session, locks: Locks) {
  await session.readThrough()
  const known = await readTables(session)
  const files = await readInventoryFiles(session)
  const tables = [...known].map(
    ([name, { id, columns }]): InventoryTable => ({ name, id, columns, files: files.get(id) ?? [] }),
  )
  const runs = await readRuns(session, locks)
  const networks = await session.rows('SELECT network FROM chainlake.source ORDER BY network')
  const facts: NetworkFacts[] = []
  for (const { network } of networks) {
    const found = await readNetwork(session, network)
    if (found !== null) facts.push(found)
  }
  return {
    snapshot: await latestSnapshot(session),
    tables,
    coverage: await readCoverage(session),
    /** Rows and bytes that commits without a slice have added. */
    written: await readWritten(session),
    /** The tables as their declarations were when they were last written. */
    declared: [...(await readDeclaredTables(session)).values()],
    /** All streams by their texts. */
    streams: await readStreamFacts(session),
    /** Row counts that commits of lists recorded. */
    lists: await readListCounts(session),
    /** The stretches of lists, by stream. */
    stretches: await readAllStretches(session),
    networks: facts,
    /** The blocks that identify its EVM chains. */
    anchors: await readAnchors(session),
    /** The streams of all observations, by observation id. */
    observations: await readObservations(session),
    /** Tables that lost rows in a repair which no source can return again. */
    withLosses: await readTablesWithLosses(session),
    /** Known files that are not visible: staged for an observation, part of an older snapshot, or waiting for removal. */
    hidden: [...(await readEarlierFiles(session)), ...(await readStagedFiles(session))],
    /** Runs with files that the catalog does not reference and that must stay: live runs, and runs that another catalog may reference. */
    writing: new Set(runs.filter(keepsFiles).map(({ id }) => id)),
    /** Ended runs. The next run removes their unreferenced files. */
    over: new Set(runs.filter((run) => !keepsFiles(run)).map(({ id }) => id)),
    contradictions: [
      ...(await readContradictions(session)),
      ...misplacedIn(tables),
      ...(await readStrangeViews(session)).map((found) => ({
        message: 'The catalog has a view that chainlake did not record.',
        found,
      })),
    ],
  }
}

async function readObservations(session: Session): Promise<Map<string, string>> {
  const rows = await session.rows('SELECT observation_id, stream FROM chainlake.observation')
  return new Map(rows.map((row) => [row['observation_id'], row['stream']]))
}

async function readInventoryFiles(session: Session): Promise<Map<number, InventoryFile[]>> {
  const records = await readRecords(session)
  const found = await readPartitioned(session, {
    columns: ', d.footer_size, n.network',
    joins: `LEFT JOIN (
      SELECT v.data_file_id, max(v.partition_value) AS network
      FROM main.ducklake_file_partition_value v
      JOIN main.ducklake_data_file f USING (data_file_id)
      JOIN main.ducklake_partition_column c ON c.partition_id = f.partition_id AND c.partition_key_index = v.partition_key_index
      JOIN main.ducklake_column n ON n.table_id = c.table_id AND n.column_id = c.column_id AND n.end_snapshot IS NULL
      WHERE n.column_name = 'network' GROUP BY v.data_file_id
    ) n ON n.data_file_id = d.data_file_id`,
  })
  const fileOf = ({ file, row }: (typeof found)[number]): InventoryFile => {
    const { sha256 = null, rows: committedRows = null, sources = [] } = records.get(file.id) ?? {}
    return { ...file, footerBytes: row['footer_size'], network: row['network'], sha256, committedRows, sources }
  }
  return new Map([...groupBy(found, ({ tableId }) => tableId)].map(([id, own]) => [id, own.map(fileOf)]))
}

export async function readFileStats(session: Session, ids: readonly number[]): Promise<Map<number, LeafStats[]>> {
  if (ids.length === 0) return new Map()
  const rows = await session.rows<LeafStats & { readonly id: number }>(
    `SELECT data_file_id AS id, column_id AS "fieldId", column_size_bytes AS "columnBytes", value_count + null_count AS "valueCount",
       null_count AS "nullCount", min_value AS min, max_value AS max
     FROM main.ducklake_file_column_stats
     WHERE data_file_id BETWEEN ${Math.min(...ids)} AND ${Math.max(...ids)} ORDER BY data_file_id, column_id`,
  )
  const wanted = new Map<number, LeafStats[]>(ids.map((id) => [id, []]))
  for (const { id, ...leaf } of rows) wanted.get(id)?.push(leaf)
  return wanted
}

export async function readFileBounds(
  session: Session,
  table: string,
  column: string,
): Promise<Map<number, { readonly min: number; readonly max: number }>> {
  const safe = (bound: string) => {
    const value = session.dialect.tryCast(bound, 'BIGINT')
    return `CASE WHEN ${value} BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER} THEN ${value} END`
  }
  const rows = await session.rows(
    `SELECT s.data_file_id AS id, ${safe('s.min_value')} AS min, ${safe('s.max_value')} AS max
     FROM main.ducklake_table t
     JOIN main.ducklake_column c ON c.table_id = t.table_id AND c.end_snapshot IS NULL AND c.parent_column IS NULL
     JOIN main.ducklake_file_column_stats s ON s.table_id = c.table_id AND s.column_id = c.column_id
     WHERE t.end_snapshot IS NULL AND t.table_name = $1 AND c.column_name = $2`,
    [table, column],
  )
  return new Map(rows.flatMap(({ id, min, max }) => (min === null || max === null ? [] : [[id, { min, max }]])))
}

/** An inconsistency in the DuckLake tables about files (relative to the lake) or snapshots. */
type Contradiction = { readonly message: string } & {
  readonly [fact in 'table' | 'file' | 'expected' | 'found']?: string
}

/** States that no commit writes. DuckLake readers would see other rows than the views, or none, or a file could not be verified. */
async function readContradictions(session: Session): Promise<Contradiction[]> {
  const found: Contradiction[] = []
  for (const query of contradictions) found.push(...(await session.rows<Contradiction>(query)))
  return found
}

const ofFile = `t.table_name AS "table", ${pathOfFile} AS file`

const contradictions = [
  // DuckLake looks for the files of a schema in its path, which is empty.
  `SELECT 'The catalog names another folder for the files of the schema ' || schema_name || '.' AS message,
     'no path' AS expected, path AS found
   FROM main.ducklake_schema WHERE path <> '' AND EXISTS (SELECT 1 FROM main.ducklake_table t WHERE t.schema_id = ducklake_schema.schema_id)`,
  // Missing snapshots. Commits number snapshots consecutively, and the oldest expire first.
  `SELECT 'Snapshots between ' || before || ' and ' || snapshot_id || ' are missing in the catalog.' AS message,
     (before + 1)::VARCHAR AS expected, snapshot_id::VARCHAR AS found
   FROM (SELECT snapshot_id, lag(snapshot_id) OVER (ORDER BY snapshot_id) AS before FROM main.ducklake_snapshot) s
   WHERE snapshot_id - before > 1 ORDER BY snapshot_id`,
  `SELECT 'A file of ' || t.table_name || ' refers to snapshots that do not exist.' AS message, ${ofFile},
     'snapshots up to ' || s.latest AS expected, 'from ' || d.begin_snapshot || coalesce(' to ' || d.end_snapshot, ' on') AS found
   FROM ${filesOfTables}, (SELECT max(snapshot_id) AS latest FROM main.ducklake_snapshot) s
   WHERE d.begin_snapshot > s.latest OR d.end_snapshot > s.latest OR d.end_snapshot < d.begin_snapshot ORDER BY d.data_file_id`,
  `SELECT 'The catalog marks rows of a file of ' || t.table_name || ' as deleted, but chainlake never deletes rows.' AS message, ${ofFile},
     'no deleted rows' AS expected, x.delete_count || ' rows' AS found
   FROM main.ducklake_delete_file x JOIN ${filesOfTables} ON d.data_file_id = x.data_file_id ORDER BY x.delete_file_id`,
  // Columns that ended before files with them were written. Merged files are exempt: they keep the columns of their sources.
  `SELECT 'In the catalog, column ' || t.table_name || '.' || c.column_name || ' ended before files with it were written.' AS message,
     t.table_name AS "table", 'a column of ' || count(*) || ' files' AS expected, 'ended with snapshot ' || c.end_snapshot AS found
   FROM main.ducklake_column c
   JOIN main.ducklake_table t ON t.table_id = c.table_id AND t.end_snapshot IS NULL
   JOIN main.ducklake_file_column_stats s ON s.table_id = c.table_id AND s.column_id = c.column_id
   JOIN main.ducklake_data_file d ON d.data_file_id = s.data_file_id AND d.end_snapshot IS NULL
   WHERE c.end_snapshot <= d.begin_snapshot
     AND NOT EXISTS (SELECT 1 FROM main.ducklake_column o WHERE o.table_id = c.table_id AND o.column_id = c.column_id AND o.end_snapshot IS NULL)
     AND NOT EXISTS (SELECT 1 FROM chainlake.compacted_file k WHERE k.data_file_id = d.data_file_id)
   GROUP BY t.table_name, c.column_name, c.end_snapshot ORDER BY t.table_name, c.column_name, c.end_snapshot`,
  // Every commit records the sources and the hash of its files.
  `SELECT 'The catalog has no record of the sources and the hash of a file of ' || t.table_name || '.' AS message, ${ofFile},
     'a record of the file' AS expected, 'none' AS found
   FROM ${filesOfTables}
   WHERE d.end_snapshot IS NULL AND NOT EXISTS (SELECT 1 FROM chainlake.file f WHERE f.data_file_id = d.data_file_id) ORDER BY d.data_file_id`,
  // Streams of coverage, files and counts without a row of their own.
  `SELECT 'The catalog has rows of the stream ' || stream || ', but not the stream.' AS message
   FROM (SELECT stream FROM chainlake.coverage UNION SELECT stream FROM chainlake.file UNION SELECT stream FROM chainlake.written) s
   WHERE stream NOT IN (SELECT stream FROM chainlake.stream) ORDER BY stream`,
]

/** Files with folders that differ from their partition. Readers prune by both. */
function misplacedIn(tables: readonly InventoryTable[]): Contradiction[] {
  const text = (list: readonly (string | null)[]) => list.map((value) => value ?? 'null').join(', ')
  return tables.flatMap(({ name: table, files }) =>
    files.flatMap(({ path: file, partition }) => {
      const folders = readDataFilePath(file)?.partition.map(({ value }) => value)
      if (folders === undefined || isDeepStrictEqual(folders, partition)) return []
      const message = `The partition of a file of ${table} in the catalog differs from its folders.`
      return [{ message, table, file, expected: text(folders), found: text(partition) }]
    }),
  )
}

export type CoveredFiles = Awaited<ReturnType<typeof readCoveredFiles>>

export async function readCoveredFiles(session: Session, table: string, column: string) {
  const coverage = (await readCoverage(session)).filter((row) => row.table === table)
  const bounds = await readFileBounds(session, table, column)
  const { files } = await readTableFiles(session, table)
  return { coverage, files: files.map(({ id, path }) => ({ path, bounds: bounds.get(id) ?? null })) }
}
