import type { Table } from '../../define/index.ts'
import type { FileColumnStats, LakeSnapshot } from '../../model.ts'
import { inDataFolder } from '../../store/data-file-path.ts'
import type { FileSource } from '../files/file-facts.ts'
import { readTablesWithLosses } from '../files/losses.ts'
import { readWritten, type WrittenRow } from '../files/written.ts'
import { type ChainAnchor, readAnchors } from '../runs/chain-anchors.ts'
import { type NetworkFacts, readNetwork } from '../runs/network.ts'
import { readRuns, restoredOutcome } from '../runs/runs.ts'
import { readStreamFacts, type StreamFacts } from '../runs/stream-facts.ts'
import { readDeclaredTables } from '../schema/declared-tables.ts'
import { type KnownTable, readTables } from '../schema/known-tables.ts'
import type { Locks } from '../session/backend.ts'
import type { Session } from '../session/session.ts'
import { latestSnapshot } from '../session/snapshot.ts'
import { type Contradiction, readContradictions } from './contradictions.ts'
import { type CoverageRow, readCoverage } from './coverage.ts'
import { type ListCounts, readListCounts } from './list-commits.ts'
import { readStretchTimes, type StretchTimes } from './stretches.ts'

/** A visible file with its record in the catalog, without statistics. */
export type InventoryFile = {
  readonly id: number
  /** Relative to the lake, with `/`. */
  readonly path: string
  readonly rows: number
  readonly bytes: number
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

/** A known file that is not visible: staged for an observation, part of an older snapshot, or waiting for removal. */
type HiddenFile = {
  readonly path: string
  /** Null for a file that waits for removal. */
  readonly bytes: number | null
}

/** All records of a catalog about the lake, at one moment. */
export type Inventory = {
  readonly snapshot: LakeSnapshot
  readonly tables: readonly InventoryTable[]
  readonly coverage: readonly CoverageRow[]
  /** Rows and bytes that commits without a slice have added. */
  readonly written: readonly WrittenRow[]
  /** The tables as their declarations were when they were last written. */
  readonly declared: readonly Table[]
  /** All streams by their texts. */
  readonly streams: ReadonlyMap<string, StreamFacts>
  /** Row counts that commits of lists recorded. */
  readonly lists: readonly ListCounts[]
  /** The times of the stretches of lists, by stream. */
  readonly stretches: ReadonlyMap<string, readonly StretchTimes[]>
  readonly networks: readonly NetworkFacts[]
  /** The blocks that identify its EVM chains. */
  readonly anchors: readonly ChainAnchor[]
  /** The streams of all observations, by observation id. */
  readonly observations: ReadonlyMap<string, string>
  /** Tables that lost rows in a repair which no source can return again. */
  readonly withLosses: ReadonlySet<string>
  readonly hidden: readonly HiddenFile[]
  /** Runs with files that the catalog does not reference and that must stay: live runs, and runs that another catalog may reference. */
  readonly writing: ReadonlySet<string>
  /** Ended runs. The next run removes their unreferenced files. */
  readonly over: ReadonlySet<string>
  readonly contradictions: readonly Contradiction[]
}

export async function readInventory(session: Session, locks: Locks): Promise<Inventory> {
  await session.readThrough()
  const known = await readTables(session)
  const files = await readInventoryFiles(session)
  const runs = await readRuns(session, locks)
  const isKept = ({ state }: { readonly state: string }) => state === 'running' || state === restoredOutcome
  const networks = await session.rows('SELECT network FROM chainlake.source ORDER BY network')
  const facts: NetworkFacts[] = []
  for (const { network } of networks) {
    const found = await readNetwork(session, network)
    if (found !== null) facts.push(found)
  }
  return {
    snapshot: await latestSnapshot(session),
    tables: [...known].map(([name, { id, columns }]) => ({ name, id, columns, files: files.get(id) ?? [] })),
    coverage: await readCoverage(session),
    written: await readWritten(session),
    declared: [...(await readDeclaredTables(session)).values()],
    streams: await readStreamFacts(session),
    lists: await readListCounts(session),
    stretches: await readStretchTimes(session),
    networks: facts,
    anchors: await readAnchors(session),
    observations: await readObservations(session),
    withLosses: await readTablesWithLosses(session),
    hidden: await readHidden(session),
    writing: new Set(runs.filter(isKept).map(({ id }) => id)),
    over: new Set(runs.filter((run) => !isKept(run)).map(({ id }) => id)),
    contradictions: await readContradictions(session),
  }
}

async function readObservations(session: Session): Promise<Map<string, string>> {
  const rows = await session.rows('SELECT observation_id, stream FROM chainlake.observation')
  return new Map(rows.map((row) => [row['observation_id'], row['stream']]))
}

async function readInventoryFiles(session: Session): Promise<Map<number, InventoryFile[]>> {
  const sources = await readRecorded(session)
  const rows = await session.rows(
    `SELECT d.data_file_id, d.table_id, t.path || d.path AS path, d.record_count, d.file_size_bytes, d.footer_size, p.network
     FROM main.ducklake_data_file d JOIN main.ducklake_table t ON t.table_id = d.table_id AND t.end_snapshot IS NULL
     LEFT JOIN (
       SELECT v.data_file_id, max(v.partition_value) AS network
       FROM main.ducklake_file_partition_value v
       JOIN main.ducklake_data_file f USING (data_file_id)
       JOIN main.ducklake_partition_column c ON c.partition_id = f.partition_id AND c.partition_key_index = v.partition_key_index
       JOIN main.ducklake_column n ON n.table_id = c.table_id AND n.column_id = c.column_id AND n.end_snapshot IS NULL
       WHERE n.column_name = 'network' GROUP BY v.data_file_id
     ) p USING (data_file_id)
     WHERE d.end_snapshot IS NULL ORDER BY d.data_file_id`,
  )
  const files = new Map<number, InventoryFile[]>()
  for (const row of rows) {
    const own = files.get(row['table_id']) ?? []
    files.set(row['table_id'], own)
    const recorded = sources.get(row['data_file_id'])
    own.push({
      id: row['data_file_id'],
      path: inDataFolder(row['path']),
      rows: row['record_count'],
      bytes: row['file_size_bytes'],
      footerBytes: row['footer_size'],
      network: row['network'],
      sha256: recorded?.sha256 ?? null,
      committedRows: recorded?.rows ?? null,
      sources: recorded?.sources ?? [],
    })
  }
  return files
}

type Recorded = { readonly sha256: string; readonly rows: number; readonly sources: FileSource[] }

async function readRecorded(session: Session): Promise<Map<number, Recorded>> {
  const rows = await session.rows(
    'SELECT data_file_id, stream, slice_from, slice_to, sha256, row_count FROM chainlake.file ORDER BY data_file_id, rowid',
  )
  const recorded = new Map<number, Recorded>()
  for (const row of rows) {
    const id: number = row['data_file_id']
    const own: Recorded = recorded.get(id) ?? { sha256: row['sha256'], rows: row['row_count'], sources: [] }
    recorded.set(id, own)
    const { stream, slice_from: from, slice_to: to } = row
    own.sources.push({ stream, slice: from === null ? null : { from, to } })
  }
  return recorded
}

async function readHidden(session: Session): Promise<HiddenFile[]> {
  const named = await session.rows(
    `SELECT t.path || d.path AS path, d.file_size_bytes AS bytes FROM main.ducklake_data_file d
     JOIN (SELECT table_id, path, bool_or(end_snapshot IS NULL) AS is_current FROM main.ducklake_table GROUP BY table_id, path) t USING (table_id)
     WHERE d.end_snapshot IS NOT NULL OR NOT t.is_current
     UNION ALL SELECT path, NULL FROM main.ducklake_files_scheduled_for_deletion
     WHERE data_file_id NOT IN (SELECT data_file_id FROM main.ducklake_data_file)`,
  )
  const staged = await session.rows('SELECT path, byte_count AS bytes FROM chainlake.staged_part')
  return [
    ...named.map(({ path, bytes }) => ({ path: inDataFolder(path), bytes })),
    ...staged.map(({ path, bytes }) => ({ path, bytes })),
  ]
}

/** The statistics of some files, by file id. */
export async function readFileStats(session: Session, ids: readonly number[]): Promise<Map<number, FileColumnStats[]>> {
  if (ids.length === 0) return new Map()
  const rows = await session.rows(
    `SELECT data_file_id, column_id, column_size_bytes, value_count, null_count, min_value, max_value
     FROM main.ducklake_file_column_stats
     WHERE data_file_id BETWEEN ${Math.min(...ids)} AND ${Math.max(...ids)} ORDER BY data_file_id, column_id`,
  )
  const wanted = new Map<number, FileColumnStats[]>(ids.map((id) => [id, []]))
  for (const row of rows)
    wanted.get(row['data_file_id'])?.push({
      columnId: row['column_id'],
      bytes: row['column_size_bytes'],
      values: row['value_count'],
      nulls: row['null_count'],
      min: row['min_value'],
      max: row['max_value'],
    })
  return wanted
}

/** The minimum and maximum of an integer column in each file of a table, by file id. Files without bounds below 2^53 are omitted. */
export async function readFileBounds(
  session: Session,
  tableId: number,
  columnId: number,
): Promise<Map<number, { readonly min: number; readonly max: number }>> {
  const safe = (column: string) => {
    const value = session.dialect.tryCast(column, 'BIGINT')
    return `CASE WHEN ${value} BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER} THEN ${value} END`
  }
  const rows = await session.rows(
    `SELECT data_file_id, ${safe('min_value')} AS low, ${safe('max_value')} AS high
     FROM main.ducklake_file_column_stats WHERE table_id = $1 AND column_id = $2`,
    [tableId, columnId],
  )
  return new Map(
    rows.flatMap(({ data_file_id: id, low, high }) =>
      low === null || high === null ? [] : [[id, { min: low, max: high }]],
    ),
  )
}
