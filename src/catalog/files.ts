import { ConfigError } from '../errors.ts'
import { groupBy } from '../lib/arrays.ts'
import { sqlText } from '../lib/text.ts'
import type { CatalogFile, LakeSnapshot } from '../model.ts'
import type { FileSource } from './add-files.ts'
import {
  filesOfTables,
  isAt,
  latestSnapshot,
  latestSnapshotId,
  newest,
  type Parameter,
  pathOfFile,
  type Row,
  readSnapshot,
  type Session,
  sliceOf,
} from './session.ts'
import { partitionOf, readPartitions, readTable, readTables } from './tables.ts'

export type CatalogFiles = Awaited<ReturnType<typeof readFiles>>

/** The files of a snapshot (default: the latest), by table in the order in which the tables were created. */
export async function readFiles(session: Session, given?: LakeSnapshot) {
  const snapshot = given ?? (await latestSnapshot(session))
  const tables = await readTables(session, snapshot.snapshotId)
  const files = groupBy(await readPartitioned(session, { at: snapshot.snapshotId }), ({ tableId }) => tableId)
  return {
    snapshot,
    /** Their files in commit order. */
    tables: [...tables].map(([name, { id }]) => ({ name, files: (files.get(id) ?? []).map(({ file }) => file) })),
  }
}

type PartitionedQuery = {
  /** A snapshot; default: the latest. */
  readonly at?: number
  /** Name of the table of the files, `$1` in SQL; default: all tables. */
  readonly table?: string
  /** SQL with further columns, joins and conditions. */
  readonly columns?: string
  readonly joins?: string
  readonly where?: string
  readonly parameters?: readonly Parameter[]
}

const ofTable = 'AND d.table_id IN (SELECT table_id FROM main.ducklake_table WHERE table_name = $1)'

/** The files of a snapshot with their partitions, in commit order; `row` has the further columns. */
export async function readPartitioned(
  session: Session,
  { at = newest, table, columns = '', joins = '', where = '', parameters = [] }: PartitionedQuery = {},
) {
  const partitions = await readPartitions(session)
  const most = Math.max(0, ...[...partitions.values()].map((own) => own.length))
  // One column for each partition value. An ordered list of the values takes ten times as long.
  const names = Array.from({ length: most }, (_, position) => `p${position}`)
  const sums = names.map((name, at) => `, max(partition_value) FILTER (WHERE partition_key_index = ${at}) AS ${name}`)
  // Replaced files stay in the catalog until they expire; there may be many more of them than visible files.
  const visible = `${isAt('d', at)} ${table === undefined ? '' : ofTable}`
  const rows = await session.rows(
    `SELECT d.data_file_id AS id, d.table_id, d.partition_id, ${pathOfFile} AS path, d.record_count, d.file_size_bytes
       ${names.map((name) => `, p.${name}`).join('')} ${columns}
     FROM ${filesOfTables}
     LEFT JOIN (SELECT data_file_id${sums.join('')} FROM main.ducklake_file_partition_value
       WHERE data_file_id IN (SELECT data_file_id FROM main.ducklake_data_file d WHERE ${visible}) GROUP BY data_file_id) p
       ON p.data_file_id = d.data_file_id
     ${joins} WHERE ${visible} ${where} ORDER BY d.data_file_id`,
    table === undefined ? parameters : [table, ...parameters],
  )
  return rows.map((row) => {
    const { id, path, record_count: rows, file_size_bytes: bytes } = row
    const values = names.map((name) => row[name])
    const partition = partitionOf(partitions.get(row['partition_id']) ?? [], values)
    return { tableId: row['table_id'] as number, file: { id, path, rows, bytes, partition } as CatalogFile, row }
  })
}

/** An earlier state of the lake: a snapshot, or the latest snapshot at a time. */
export type Moment = { readonly snapshotId: number } | { readonly time: Date }

/**
 * The files that were visible at a moment (default: now).
 *
 * @throws ConfigError `as-of.snapshot` when the lake had no snapshot then, or when the snapshot has expired.
 */
export async function readFilesAsOf(session: Session, moment?: Moment): Promise<CatalogFiles> {
  if (moment === undefined) return readFiles(session)
  const id = await snapshotIdAt(session, moment)
  const snapshot = id === null ? null : await readSnapshot(session, id)
  if (snapshot === null) throw await unknownMoment(session, moment)
  return readFiles(session, snapshot)
}

async function snapshotIdAt(session: Session, moment: Moment): Promise<number | null> {
  if ('snapshotId' in moment) return moment.snapshotId
  const [row] = await session.rows(
    'SELECT max(snapshot_id) AS id FROM main.ducklake_snapshot WHERE snapshot_time <= $1::TIMESTAMPTZ',
    [moment.time.toISOString()],
  )
  return row?.['id'] ?? null
}

async function unknownMoment(session: Session, moment: Moment): Promise<ConfigError> {
  const [row] = await session.rows(
    `SELECT min(snapshot_id) AS "oldest snapshot", max(snapshot_id) AS "newest snapshot", min(snapshot_time) AS "oldest time"
     FROM main.ducklake_snapshot`,
  )
  const requested = 'snapshotId' in moment ? `snapshot ${moment.snapshotId}` : `the time ${moment.time.toISOString()}`
  return new ConfigError(`The lake cannot be shown as of ${requested}.`, {
    code: 'as-of.snapshot',
    details: { ...row, 'oldest time': row?.['oldest time']?.toISOString() },
    hint: 'Use a snapshot from the oldest to the newest, or a time after the oldest one. chainlake expire removes old snapshots.',
  })
}

/** A file of a snapshot. */
export type VisibleFile = Omit<CatalogFile, 'partition'> & { readonly table: string }

/** The files of all tables at a snapshot (default: the latest), in commit order. `where`: further conditions. */
export async function readVisibleFiles(
  session: Session,
  { at = newest, where = '', parameters }: Pick<PartitionedQuery, 'at' | 'where' | 'parameters'> = {},
): Promise<VisibleFile[]> {
  return session.rows(
    `SELECT d.data_file_id AS id, t.table_name AS "table", ${pathOfFile} AS path, d.record_count AS "rows", d.file_size_bytes AS bytes
     FROM ${filesOfTables} WHERE ${isAt('d', at)} ${where} ORDER BY d.data_file_id`,
    parameters,
  )
}

/** A bound on a column. The value is a text, a whole number, or a time in microseconds since 1970 UTC. */
type FileBound = { readonly column: string; readonly operator: string; readonly value: string | number | bigint }

/** Conditions under which a file has no matching row. `l` and `g` are its minimum and maximum, `v` is the value of the bound. */
const excluding: Readonly<Record<string, string>> = {
  '=': 'g < v OR l > v',
  '<': 'l >= v',
  '<=': 'l > v',
  '>': 'g <= v',
  '>=': 'g < v',
}

/**
 * The files of a table at a snapshot (default: the latest) that may have rows within all bounds, in commit order. Only statistics can exclude a
 * file. Columns of other types, and values that do not match the type of the column, exclude no file.
 */
export async function readTableFiles(
  session: Session,
  name: string,
  { at = newest, bounds = [] }: { readonly at?: number; readonly bounds?: readonly FileBound[] } = {},
) {
  const snapshotId = at === newest ? await latestSnapshotId(session) : at
  const columns = bounds.length === 0 ? [] : ((await readTable(session, name))?.columns ?? [])
  const tests = bounds.flatMap((bound) => {
    const column = columns.find((each) => each.name === bound.column && each.parentId === null)
    const test = column === undefined ? null : exclusion(session, column.type, bound)
    return test === null ? [] : [`(s.column_id = ${column?.id} AND (${test}))`]
  })
  const excluded = `AND NOT EXISTS (SELECT 1 FROM main.ducklake_file_column_stats s
    WHERE s.table_id = d.table_id AND s.data_file_id = d.data_file_id AND (${tests.join(' OR ')}))`
  const where = `AND t.table_name = $1 ${tests.length === 0 ? '' : excluded}`
  return { snapshotId, files: await readVisibleFiles(session, { at, where, parameters: [name] }) }
}

/** The condition in SQL under which the statistics of a column exclude a file; null if they never do. Invalid texts become null in SQL. */
function exclusion({ dialect }: Session, type: string, { operator, value }: FileBound): string | null {
  const test = excluding[operator]
  const compared = comparedType(type)
  if (test === undefined || compared === null) return null
  const text = (sql: string) => dialect.tryCast(sql, compared)
  const of = compared === 'TIMESTAMPTZ' ? (sql: string) => dialect.microseconds(text(sql)) : text
  // A number with a fraction would be rounded.
  const isValid =
    typeof value === 'string' ? compared !== 'HUGEINT' || /^-?\d{1,38}$/.test(value) : compared !== 'VARCHAR'
  if (!isValid) return null
  const terms = {
    l: of('s.min_value'),
    g: of('s.max_value'),
    v: typeof value === 'string' ? of(sqlText(value)) : `${value}`,
  }
  return test.replace(/\b[lgv]\b/g, (name) => terms[name as keyof typeof terms])
}

/** Texts compare by their bytes, as DuckDB does without a collation. */
function comparedType(type: string) {
  if (type === 'timestamptz') return 'TIMESTAMPTZ'
  if (/^u?int(8|16|32|64)$/.test(type) || /^decimal\(\d+, ?0\)$/.test(type)) return 'HUGEINT'
  return type === 'varchar' ? 'VARCHAR' : null
}

/** A visible file that may be merged with others of its table and partition. */
export type SmallFile = CatalogFile & {
  /** The snapshot that added it. */
  readonly since: number
  /** The maximum number of times that its rows were rewritten. */
  readonly level: number
  /** Bounds of a column in the text form of the catalog; null if unknown. */
  readonly bounds: (column: string) => Bounds | null
  /** The sources of its rows. */
  readonly sources: readonly FileSource[]
}

type Bounds = { readonly min: string; readonly max: string }

type SmallFilesOptions = {
  readonly table: string
  /** Only files smaller than this, in bytes. */
  readonly below: number
  /** Only files up to this level. */
  readonly upTo: number
  /** Columns with bounds to read. */
  readonly columns: readonly string[]
}

export async function readSmallFiles(session: Session, { table, below, upTo, columns }: SmallFilesOptions) {
  const snapshotId = await latestSnapshotId(session)
  const found = await readPartitioned(session, {
    table,
    columns: ', d.begin_snapshot AS since, coalesce(c.level, 0) AS level',
    joins: `LEFT JOIN chainlake.compacted_file c ON c.data_file_id = d.data_file_id
      LEFT JOIN main.ducklake_partition_info i ON i.table_id = d.table_id AND i.end_snapshot IS NULL`,
    where: `AND d.file_size_bytes < $2 AND coalesce(c.level, 0) <= $3 AND d.partition_id IS NOT DISTINCT FROM i.partition_id`,
    parameters: [below, upTo],
  })
  if (found.length === 0) return { snapshotId, files: [], ends: new Map<string, number>() }
  const ids = `(${found.map(({ file }) => file.id).join(', ')})`
  const bounds = await readBounds(session, ids, columns)
  const records = await readRecords(session, `WHERE data_file_id IN ${ids}`)
  const files = found.flatMap(({ file, row: { since, level } }): SmallFile[] => {
    const own = records.get(file.id)
    if (own === undefined) return []
    return [
      { ...file, since, level, bounds: (column) => bounds.get(`${file.id} ${column}`) ?? null, sources: own.sources },
    ]
  })
  return { snapshotId, files, ends: await readEnds(session, table) }
}

async function readBounds(session: Session, ids: string, columns: readonly string[]): Promise<Map<string, Bounds>> {
  const rows = await session.rows(
    `SELECT s.data_file_id AS id, c.column_name AS name, s.min_value AS min, s.max_value AS max
     FROM main.ducklake_file_column_stats s
     JOIN main.ducklake_column c ON c.table_id = s.table_id AND c.column_id = s.column_id AND c.end_snapshot IS NULL AND c.parent_column IS NULL
     WHERE s.data_file_id IN ${ids} AND c.column_name = ANY($1) AND s.null_count = 0 AND s.min_value IS NOT NULL AND s.max_value IS NOT NULL`,
    [columns],
  )
  return new Map(rows.map(({ id, name, min, max }) => [`${id} ${name}`, { min, max }]))
}

/** The hash, the number of rows and the sources of files as their commits recorded them, by file id. `where` selects the files. */
export async function readRecords(session: Session, where = '') {
  const rows = await session.rows(
    `SELECT data_file_id AS id, stream, slice_from, slice_to, sha256, row_count FROM chainlake.file ${where} ORDER BY data_file_id, rowid`,
  )
  return new Map(
    [...groupBy(rows, ({ id }): number => id)].map(([id, own]) => [
      id,
      { sha256: own[0]?.['sha256'] as string, rows: own[0]?.['row_count'] as number, sources: own.map(sourceOf) },
    ]),
  )
}

export function sourceOf(row: Row): FileSource {
  return { stream: row['stream'], slice: sliceOf(row) }
}

async function readEnds(session: Session, table: string): Promise<Map<string, number>> {
  const rows = await session.rows(
    'SELECT stream, max(slice_to) AS covered FROM chainlake.coverage WHERE table_name = $1 GROUP BY stream',
    [table],
  )
  return new Map(rows.map((row) => [row['stream'], row['covered']]))
}
