import { CatalogError, ConfigError } from '../errors.ts'
import { groupBy } from '../lib/arrays.ts'
import { sqlText } from '../lib/text.ts'
import type { CatalogFile, LakeSnapshot } from '../model.ts'
import { inDataFolder } from '../store/data-file-path.ts'
import type { FileSource } from './add-files.ts'
import {
  filesOfTables,
  isAt,
  latestSnapshot,
  latestSnapshotId,
  pathOfFile,
  type Row,
  readSnapshot,
  type Session,
  sliceOf,
} from './session.ts'
import { type KnownTable, partitionOf, readPartitions, readTable, readTables } from './tables.ts'

export type CatalogFiles = Awaited<ReturnType<typeof readFiles>>

/** The files of a snapshot (default: the latest), by table in the order in which the tables were created. */
export async function readFiles(session: Session, given?: LakeSnapshot) {
  const snapshot = given ?? (await latestSnapshot(session))
  const tables = await readTables(session, snapshot.snapshotId)
  const partitions = await readPartitions(session)
  const files = new Map([...tables.values()].map((table) => [table.id, [] as CatalogFile[]]))
  const [count] = await session.rows(
    'SELECT coalesce(max(partition_key_index) + 1, 0) AS n FROM main.ducklake_partition_column',
  )
  const values = Array.from({ length: count?.['n'] ?? 0 }, (_, position) => `p${position}`)
  const rows = await session.rows(filesSql(values, snapshot.snapshotId))
  for (const row of rows) {
    const partition = partitionOf(
      partitions.get(row['partition_id']) ?? [],
      values.map((name) => row[name]),
    )
    const path = inDataFolder(`${row['folder']}${row['path']}`)
    files.get(row['table_id'])?.push({
      id: row['data_file_id'],
      path,
      rows: row['record_count'],
      bytes: row['file_size_bytes'],
      partition,
    })
  }
  return {
    snapshot,
    /** Their files in commit order. */
    tables: [...tables].map(([name, { id }]) => ({ name, files: files.get(id) ?? [] })),
  }
}

/** Selects one column for each partition value. An ordered list of the values takes ten times as long. */
function filesSql(values: readonly string[], snapshotId: number): string {
  const sums = values.map(
    (name, position) => `, max(partition_value) FILTER (WHERE partition_key_index = ${position}) AS ${name}`,
  )
  // Replaced files stay in the catalog until they expire; there may be many more of them than visible files.
  const visible = isAt('d', snapshotId)
  return `SELECT d.data_file_id, d.table_id, d.partition_id, t.path AS folder, d.path, d.record_count, d.file_size_bytes${values.map((name) => `, p.${name}`).join('')}
    FROM main.ducklake_data_file d
    JOIN main.ducklake_table t ON t.table_id = d.table_id AND t.end_snapshot IS NULL
    LEFT JOIN (SELECT data_file_id${sums.join('')} FROM main.ducklake_file_partition_value
      WHERE data_file_id IN (SELECT data_file_id FROM main.ducklake_data_file d WHERE ${visible}) GROUP BY data_file_id) p
      ON p.data_file_id = d.data_file_id
    WHERE ${visible} ORDER BY d.data_file_id`
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
    `SELECT min(snapshot_id) AS oldest, max(snapshot_id) AS newest, min(snapshot_time) AS begin FROM main.ducklake_snapshot`,
  )
  const requested = 'snapshotId' in moment ? `snapshot ${moment.snapshotId}` : `the time ${moment.time.toISOString()}`
  return new ConfigError(`The lake cannot be shown as of ${requested}.`, {
    code: 'as-of.snapshot',
    details: {
      'oldest snapshot': row?.['oldest'],
      'newest snapshot': row?.['newest'],
      'oldest time': (row?.['begin'] as Date | undefined)?.toISOString(),
    },
    hint: 'Use an existing snapshot, or a time after the oldest one. chainlake expire may have removed older snapshots.',
  })
}

/** Bounds on columns of a table. Values are texts. */
type Within = {
  readonly table: string
  readonly snapshotId: number
  readonly bounds: readonly { readonly column: string; readonly operator: string; readonly value: string }[]
}

/** Conditions under which a file has no matching row. `l` and `g` are its minimum and maximum, `v` is the value of the bound. */
const excluding: Readonly<Record<string, string>> = {
  '=': 'g < v OR l > v',
  '<': 'l >= v',
  '<=': 'l > v',
  '>': 'g <= v',
  '>=': 'g < v',
}

/**
 * Paths of the files of a snapshot that may have rows within the bounds, relative to the lake. Only statistics can exclude a file. Columns of
 * other types, and values that do not match the type of the column, exclude no file.
 */
export async function readFilesWithin(
  session: Session,
  { table: name, snapshotId, bounds }: Within,
): Promise<string[]> {
  const table = await readTable(session, name)
  if (table === undefined) return []
  const tests = bounds.flatMap(({ column: columnName, operator, value }) => {
    const column = table.columns.find((each) => each.name === columnName && each.parentId === null)
    const type = column === undefined ? null : comparedType(column.type)
    const test = excluding[operator]
    if (column === undefined || type === null || test === undefined || !isOf(type, value)) return []
    const [l, g, v] = ['s.min_value', 's.max_value', sqlText(value)].map((text) => session.dialect.tryCast(text, type))
    return [`(s.column_id = ${column.id} AND (${test.replace(/\b[lgv]\b/g, (name) => ({ l, g, v })[name] ?? '')}))`]
  })
  const excluded =
    tests.length === 0
      ? ''
      : `AND d.data_file_id NOT IN (SELECT s.data_file_id FROM main.ducklake_file_column_stats s
           WHERE s.table_id = ${table.id} AND (${tests.join(' OR ')}))`
  const rows = await session.rows(
    `SELECT ${pathOfFile} AS path FROM ${filesOfTables} WHERE d.table_id = ${table.id} AND ${isAt('d', snapshotId)} ${excluded}`,
  )
  return rows.map(({ path }) => path)
}

/** Whether a value matches a type. A number with a fraction would be rounded. */
function isOf(type: string, value: string): boolean {
  return type !== 'HUGEINT' || /^-?\d{1,38}$/.test(value)
}

/** Texts compare by their bytes, as DuckDB does without a collation. */
function comparedType(type: string) {
  if (type === 'timestamptz') return 'TIMESTAMPTZ'
  if (/^u?int(8|16|32|64)$/.test(type) || /^decimal\(\d+, ?0\)$/.test(type)) return 'HUGEINT'
  return type === 'varchar' ? 'VARCHAR' : null
}

/** Values from `min` to `max` inclusive. Times are in microseconds since 1970 UTC. */
type Range = { readonly column: string; readonly min: bigint | number; readonly max: bigint | number }

/**
 * The visible files of a table at the latest snapshot, in commit order. `range` omits files if their statistics exclude it; files without
 * statistics of the column are included. CatalogError if the column is neither a number nor a time.
 */
export async function readTableFiles(session: Session, name: string, { range }: { readonly range?: Range } = {}) {
  const snapshotId = await latestSnapshotId(session)
  const table = await readTable(session, name)
  if (table === undefined) return { snapshotId, files: [] }
  const column = table.columns.find((candidate) => candidate.parentId === null && candidate.name === range?.column)
  const outside =
    range === undefined || column === undefined
      ? ''
      : `AND NOT EXISTS (SELECT 1 FROM main.ducklake_file_column_stats s
           WHERE s.table_id = ${table.id} AND s.column_id = ${column.id} AND s.data_file_id = d.data_file_id
             AND (${numberSql(session, column, 's.max_value')} < ${BigInt(range.min)} OR ${numberSql(session, column, 's.min_value')} > ${BigInt(range.max)}))`
  const files = await session.rows<{ readonly path: string; readonly rows: number }>(
    `SELECT ${pathOfFile} AS path, d.record_count AS "rows" FROM ${filesOfTables}
     WHERE d.table_id = ${table.id} AND d.end_snapshot IS NULL ${outside} ORDER BY d.data_file_id`,
  )
  return { snapshotId, files }
}

/** Converts a bound to a number in SQL. The catalog stores bounds as texts; an invalid text becomes null and excludes no file. */
function numberSql({ dialect }: Session, { name, type }: KnownTable['columns'][number], bound: string): string {
  if (type === 'timestamptz') return dialect.microseconds(dialect.tryCast(bound, 'TIMESTAMPTZ'))
  if (type === 'int64' || type.startsWith('decimal')) return dialect.tryCast(bound, 'HUGEINT')
  throw new CatalogError('Files can only be selected by columns of numbers or times.', {
    code: 'catalog.range',
    details: { column: name, type },
  })
}

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

type SmallFilesOptions = {
  readonly table: string
  /** Only files smaller than this, in bytes. */
  readonly below: number
  /** Only files up to this level. */
  readonly upTo: number
  /** Columns with bounds to read. */
  readonly columns: readonly string[]
}

/** The small visible files of a table, with their properties, in commit order. `ends`: the ends of the coverage of streams that are read by range. */
export async function readSmallFiles(session: Session, { table: name, below, upTo, columns }: SmallFilesOptions) {
  const snapshotId = await latestSnapshotId(session)
  const table = await readTable(session, name)
  const none = { snapshotId, files: [], ends: new Map<string, number>() }
  if (table === undefined) return none
  const rows = await session.rows<Omit<SmallFile, 'partition' | 'bounds' | 'sources'>>(
    `SELECT d.data_file_id AS id, ${pathOfFile} AS path, d.record_count AS "rows", d.file_size_bytes AS bytes,
       d.begin_snapshot AS since, coalesce(c.level, 0) AS level
     FROM ${filesOfTables}
     LEFT JOIN chainlake.compacted_file c USING (data_file_id)
     WHERE d.table_id = ${table.id} AND d.end_snapshot IS NULL AND d.partition_id IS NOT DISTINCT FROM ${table.partitionId ?? 'NULL'}
       AND d.file_size_bytes < $1 AND coalesce(c.level, 0) <= $2
     ORDER BY d.data_file_id`,
    [below, upTo],
  )
  if (rows.length === 0) return none
  const ids = `(${rows.map(({ id }) => id).join(', ')})`
  const values = await readValues(session, ids)
  const wanted = table.columns.filter(({ parentId, name: column }) => parentId === null && columns.includes(column))
  const bounds = await readBounds(session, ids, new Map(wanted.map(({ id, name: column }) => [id, column])))
  const sources = await readSources(session, ids)
  const files = rows.flatMap((row): SmallFile[] => {
    const own = sources.get(row.id)
    if (own === undefined) return []
    const partition = partitionOf(table.layout.partition, values.get(row.id) ?? [])
    return [{ ...row, partition, bounds: (column) => bounds.get(`${row.id} ${column}`) ?? null, sources: own }]
  })
  return { snapshotId, files, ends: await readEnds(session, name) }
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
  return new Map([...groupBy(rows, ({ id }): number => id)].map(([id, own]) => [id, own.map(sourceOf)]))
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
