import { createHash } from 'node:crypto'
import {
  type Column,
  type ColumnEncoding,
  type Columns,
  type ColumnType,
  type Field,
  fieldsOf,
  type PartitionKey,
  type Table,
} from '../define/index.ts'
import { columnIds } from '../define/table.ts'
import { CatalogError, SchemaChangedError } from '../errors.ts'
import { groupBy } from '../lib/arrays.ts'
import type { LeafStats, Part } from '../model.ts'
import { type CatalogColumn, catalogColumns, isLeaf } from './schema.ts'
import {
  type Cell,
  inTransaction,
  isAt,
  newest,
  nextSnapshot,
  parsedJson,
  type Session,
  type Snapshot,
  settleAll,
  writeSnapshot,
} from './session.ts'

/** A table that is stored in the catalog. */
export type KnownTable = {
  readonly id: number
  /** Null: the table is not partitioned. */
  readonly partitionId: number | null
  /** In the order of the table. */
  readonly columns: readonly KnownColumn[]
  readonly layout: KnownLayout
  /** MD5 of the rules; see `rulesOf`. */
  readonly rules: string
}

/** The key, partitioning and sort order of a table. */
type KnownLayout = {
  /** Ids of the columns of the key. */
  readonly key: readonly number[]
  readonly partition: readonly PartitionColumn[]
  /** Names of columns. */
  readonly sortBy: readonly string[]
}

type PartitionColumn = { readonly columnId: number; readonly transform: string }

/** Name of the tag with the key of a table: column ids, separated by commas. */
const keyTag = 'chainlake.key'

/** One table of the latest snapshot: reading all of them would be a hundred times as much. */
export async function readTable(session: Session, name: string): Promise<KnownTable | undefined> {
  return (await readTables(session, newest, [name])).get(name)
}

/** The tables of a snapshot (default: the latest) with their columns, by name in the order of their ids; `only`: those with these names. */
export async function readTables(
  session: Session,
  at: number = newest,
  only?: readonly string[],
): Promise<Map<string, KnownTable>> {
  const names = only === undefined ? [] : [only]
  const named = session.rows(
    `SELECT t.table_name AS name, t.table_id AS id, p.partition_id AS "partitionId",
       coalesce(g.value, '') AS "key", coalesce(md5(r.value), '') AS rules
     FROM main.ducklake_table t
     LEFT JOIN main.ducklake_partition_info p ON p.table_id = t.table_id AND ${isAt('p', at)}
     LEFT JOIN main.ducklake_tag g ON g.object_id = t.table_id AND ${isAt('g', at)} AND g.key = $1
     LEFT JOIN main.ducklake_tag r ON r.object_id = t.table_id AND ${isAt('r', at)} AND r.key = $2
     WHERE ${isAt('t', at)} ${only === undefined ? '' : 'AND t.table_name = ANY($3)'} ORDER BY t.table_id`,
    [keyTag, rulesTag, ...names],
  )
  const columnsOf = session.rows<KnownColumn & OfTable>(
    `SELECT ${columnSql} FROM main.ducklake_column c WHERE ${isAt('c', at)}
       ${only === undefined ? '' : 'AND c.table_id IN (SELECT table_id FROM main.ducklake_table WHERE table_name = ANY($1))'}
     ORDER BY table_id, column_order`,
    names,
  )
  const [rows, columnRows, partitions, orders] = await settleAll([
    named,
    columnsOf,
    readPartitions(session),
    readOrders(session, at),
  ])
  const columns = byTable(columnRows)
  return new Map(
    rows.map(({ name, id, partitionId, key: keyText, rules }) => {
      // Folders have this name, and SQL.
      if (!/^[a-z][a-z0-9_]*$/.test(name)) throw unknownName(name)
      const key: number[] = keyText.split(',').map(Number)
      const layout = { key, partition: partitions.get(partitionId) ?? [], sortBy: orders.get(id) ?? [] }
      return [name, { id, partitionId, columns: columns.get(id) ?? [], layout, rules }]
    }),
  )
}

function unknownName(table: string): CatalogError {
  return new CatalogError('The catalog has a table with a name that chainlake does not give.', {
    code: 'catalog.table',
    details: { table },
    hint: 'Nothing was changed. Restore the catalog from a backup that you trust: see chainlake restore --help.',
  })
}

const columnSql = `c.table_id AS "tableId", c.column_id AS id, c.column_order AS "order", c.column_name AS name, c.column_type AS type,
  c.nulls_allowed AS nullable, c.parent_column AS "parentId"`

type OfTable = { readonly tableId: number }

function byTable<T extends OfTable>(rows: readonly T[]): Map<number, Omit<T, 'tableId'>[]> {
  const groups = groupBy(rows, ({ tableId }) => tableId)
  return new Map([...groups].map(([id, own]) => [id, own.map(({ tableId: _, ...column }) => column)]))
}

/** The columns of every partitioning that files were ever written with, by its id. */
export async function readPartitions(session: Session): Promise<Map<number, PartitionColumn[]>> {
  const rows = await session.rows<PartitionColumn & { readonly id: number }>(
    `SELECT partition_id AS id, column_id AS "columnId", transform FROM main.ducklake_partition_column
     ORDER BY partition_id, partition_key_index`,
  )
  return groupBy(rows, ({ id }) => id)
}

async function readOrders(session: Session, at: number): Promise<Map<number, string[]>> {
  const rows = await session.rows(
    `SELECT e.table_id, e.expression FROM main.ducklake_sort_expression e JOIN main.ducklake_sort_info i USING (sort_id)
     WHERE ${isAt('i', at)} ORDER BY e.table_id, e.sort_key_index`,
  )
  const groups = groupBy(rows, (row): number => row['table_id'])
  return new Map([...groups].map(([id, own]) => [id, own.map((row): string => row['expression'])]))
}

/** A column of the catalog with its comment. `ended`: an earlier version of the table had it. */
type CommentedColumn = CatalogColumn & { readonly ended: boolean }

/**
 * The tables of the lake as their declarations were when they were last written, by name; with the id of a snapshot, as they were in that one.
 * `known`: what `readTables` returned before.
 */
export async function readDeclaredTables(
  session: Session,
  known?: ReadonlyMap<string, KnownTable>,
  at: number = newest,
): Promise<Map<string, Table>> {
  const [tables, columns, tags] = await settleAll([
    known ?? readTables(session, at),
    readCommentedColumns(session, at),
    readTags(session, at),
  ])
  return new Map(
    [...tables].map(([name, known]) => {
      const tag = tags.get(known.id)
      if (tag === undefined) throw undeclared(name)
      return [name, tableOf(name, known, columns.get(known.id) ?? [], tag)]
    }),
  )
}

type TableTag = { readonly comment: string; readonly rules: TableRules }

function tableOf(
  name: string,
  { layout }: KnownTable,
  all: readonly CommentedColumn[],
  { comment, rules: { encodings, comments: _, ...rules } }: TableTag,
): Table {
  const paths = pathsOf(all)
  const current = all.filter(({ ended }) => !ended)
  const children = (parent: number | null): Columns =>
    Object.fromEntries(current.filter(({ parentId }) => parentId === parent).map((each) => [each.name, columnOf(each)]))
  const columnOf = ({ id, type, nullable, comment }: CommentedColumn): Column => ({
    type: typeOf({ table: name, column: paths.get(id), type }, () => children(id)),
    nullable,
    comment,
    encoding: encodings[paths.get(id) ?? ''] ?? 'plain',
  })
  const currentIds = new Set(current.map(({ id }) => id))
  return {
    name,
    comment,
    ...rules,
    key: layout.key.map((id) => paths.get(id) ?? ''),
    sortBy: layout.sortBy,
    partitionBy: partitionKeys(layout.partition, paths),
    columns: children(null),
    ids: {
      columns: Object.fromEntries(current.map(({ id }) => [paths.get(id) ?? '', id])),
      retired: Object.fromEntries([...paths].filter(([id]) => !currentIds.has(id))),
    },
  }
}

/** The path of each column by its id, dotted from the top-level column. */
function pathsOf(columns: readonly CommentedColumn[]): Map<number, string> {
  const byId = new Map(columns.map((column) => [column.id, column]))
  const pathOf = ({ name, parentId }: CommentedColumn): string => {
    const parent = parentId === null ? undefined : byId.get(parentId)
    return parent === undefined ? name : `${pathOf(parent)}.${name}`
  }
  return new Map([...byId].map(([id, column]) => [id, pathOf(column)]))
}

function partitionKeys(columns: readonly PartitionColumn[], paths: ReadonlyMap<number, string>): PartitionKey[] {
  const keys: PartitionKey[] = []
  for (const { columnId, transform } of columns) {
    const column = paths.get(columnId) ?? ''
    // A month is the pair year and month, a day has three parts: the last part names the transform.
    if (transform === 'month' || transform === 'day') keys[keys.length - 1] = { transform, column }
    else keys.push({ transform: 'identity', column })
  }
  return keys
}

type TypeAt = { readonly table: string; readonly column: string | undefined; readonly type: string }

function typeOf(at: TypeAt, children: () => Columns): ColumnType {
  const { type } = at
  switch (type) {
    case 'varchar':
      return { kind: 'text' }
    case 'float64':
      return { kind: 'double' }
    case 'timestamptz':
      return { kind: 'timestamp' }
    case 'decimal(20,0)':
      return { kind: 'decimal', precision: 20 }
    case 'decimal(38,0)':
      return { kind: 'decimal', precision: 38 }
    case 'struct':
      return { kind: 'struct', fields: children() }
    case 'int64':
    case 'boolean':
    case 'blob':
      return { kind: type }
  }
  const item = type === 'list' ? children()['element'] : undefined
  if (item !== undefined) return { kind: 'list', item }
  throw new CatalogError('The catalog has a column of a type that chainlake does not write.', {
    code: 'catalog.column-type',
    details: at,
    hint: 'Nothing was changed. Restore the catalog from a backup, or use the version of chainlake that wrote the lake.',
  })
}

/** Columns of every table at a snapshot, in their order; of each id the latest version until then. */
async function readCommentedColumns(session: Session, at: number): Promise<Map<number, CommentedColumn[]>> {
  const rows = await session.rows<CommentedColumn & OfTable>(
    `SELECT ${columnSql},
       NOT ${isAt('c', at)} AS ended, coalesce(g.value, '') AS comment
     FROM main.ducklake_column c
     LEFT JOIN main.ducklake_column_tag g ON g.table_id = c.table_id AND g.column_id = c.column_id AND ${isAt('g', at)} AND g.key = 'comment'
     WHERE c.begin_snapshot <= ${at} AND NOT EXISTS (
       SELECT 1 FROM main.ducklake_column n WHERE n.table_id = c.table_id AND n.column_id = c.column_id
         AND n.begin_snapshot > c.begin_snapshot AND n.begin_snapshot <= ${at})
     ORDER BY c.table_id, c.column_order`,
  )
  return byTable(rows)
}

async function readTags(session: Session, at: number): Promise<Map<number, TableTag>> {
  const rows = await session.rows(
    `SELECT r.object_id AS id, r.value AS rules, coalesce(c.value, '') AS comment
     FROM main.ducklake_tag r
     LEFT JOIN main.ducklake_tag c ON c.object_id = r.object_id AND ${isAt('c', at)} AND c.key = 'comment'
     WHERE ${isAt('r', at)} AND r.key = $1`,
    [rulesTag],
  )
  return new Map(rows.map(({ id, comment, rules }) => [id, { comment, rules: parsedJson(rules, rulesTag) }]))
}

function undeclared(table: string): CatalogError {
  return new CatalogError('The catalog does not describe one of its tables.', {
    code: 'catalog.table',
    details: { table, 'missing tag': rulesTag },
    hint: 'Nothing was changed. Restore the catalog from a backup: see chainlake restore --help.',
  })
}

/** Name of the tag with what the DuckLake tables do not record of a declaration, as JSON. */
const rulesTag = 'chainlake.table'

/** What the DuckLake tables do not record of a declaration, besides the encodings. */
const ruled = [
  'rowGroup',
  'history',
  'coverage',
  'notCompared',
  'lasting',
  'numbered',
  'streamValues',
  'unproven',
  'meaning',
] as const

type TableRules = Pick<Table, (typeof ruled)[number]> & {
  readonly encodings: { readonly [path: string]: ColumnEncoding }
  /** SHA-256 of all comments: one comparison shows that a comment has changed. */
  readonly comments: string
}

/** The rules of a table as JSON, the same for equal declarations, and its MD5, which SQL computes, too. */
type RulesText = { readonly text: string; readonly md5: string }

const known = new WeakMap<Table, RulesText>()

export function rulesOf(table: Table): RulesText {
  const found = known.get(table)
  if (found !== undefined) return found
  const encodings: Record<string, ColumnEncoding> = {}
  const comments = createHash('sha256').update(table.comment)
  const visit = ({ path, column, children }: Field): void => {
    encodings[path] = column.encoding
    comments.update(`\n${path}: ${column.comment}`)
    children.forEach(visit)
  }
  fieldsOf(table).forEach(visit)
  const rules = Object.fromEntries(ruled.map((name) => [name, table[name]]))
  const text = JSON.stringify({ ...rules, encodings, comments: comments.digest('hex') })
  const made = { text, md5: createHash('md5').update(text).digest('hex') }
  known.set(table, made)
  return made
}

/** A column that is stored in the catalog. */
type KnownColumn = Omit<CatalogColumn, 'comment'>

const notDeclared = 'not declared'

/**
 * Compares the columns of a table with those of the catalog by id, and returns the changes that turn these into the declared ones. A new column
 * must be nullable and may be anywhere. Columns may move, be retired or become nullable.
 *
 * @throws SchemaChangedError for any other difference.
 */
function columnChanges(table: Table, known: readonly KnownColumn[]) {
  const declared = catalogColumns(table)
  const knownById = new Map(known.map((column) => [column.id, column]))
  const retired = known.filter(({ id }) => !declared.some((column) => column.id === id))
  for (const column of retired)
    if (table.ids?.retired[column.id] === undefined) throw changed(table, column.name, describe(column), notDeclared)
  /** Columns that are new, moved or became nullable. */
  const written = declared.filter((now) => {
    const before = knownById.get(now.id)
    if (before === undefined) {
      if (mayBeAdded(now, knownById)) return true
      throw changed(table, now.name, 'missing', `new and not nullable: ${describe(now)}`)
    }
    if (!isCompatible(before, now)) throw changed(table, before.name, describe(before), describe(now))
    return before.order !== now.order || before.nullable !== now.nullable
  })
  return { written, ended: [...written, ...retired].map(({ id }) => id) }
}

/** A column that is nested in another new column is null in all existing files, too. */
function mayBeAdded({ nullable, parentId }: CatalogColumn, known: ReadonlyMap<number, KnownColumn>): boolean {
  return nullable || (parentId !== null && !known.has(parentId))
}

/** Whether existing files fit the declaration. A column that was never null may become nullable. */
function isCompatible(known: KnownColumn, now: CatalogColumn): boolean {
  const { name, type, parentId, nullable } = known
  return now.name === name && now.type === type && now.parentId === parentId && (now.nullable || !nullable)
}

function describe({ id, name, type, nullable }: KnownColumn): string {
  return `${name} ${type}${nullable ? '' : ' not null'} (field id ${id})`
}

function changed(table: Table, column: string, before: string, now: string): SchemaChangedError {
  return new SchemaChangedError(
    `The columns of table ${table.name} in the lake are incompatible with the declared ones.`,
    {
      details: { table: table.name, column, 'in the lake': before, declared: now },
      hint:
        now === notDeclared
          ? 'Nothing was written. Declare the column, remove it from a table of your own pipeline with --drop-columns, or export into a new lake.'
          : 'Nothing was written. Give the table of your own pipeline another name, use the version of chainlake that wrote the lake, or a newer one, or export into a new lake.',
    },
  )
}

/** The DuckLake transforms of a partition key. DuckLake splits times: a month is the pair year and month. */
function transforms(key: PartitionKey): readonly string[] {
  if (key.transform === 'identity') return ['identity']
  return key.transform === 'month' ? ['year', 'month'] : ['year', 'month', 'day']
}

/** The partition values of a part in the form of the catalog: the month `2026-01` is the pair `2026`, `1`. */
export function partitionValues(table: Table, partition: readonly (string | null)[]): (string | null)[] {
  if (partition.length !== table.partitionBy.length) throw wrong(table, partition)
  return table.partitionBy.flatMap((key, position) => {
    const value = partition[position] ?? null
    if (key.transform === 'identity') return [value]
    const names = transforms(key)
    if (value === null) return names.map(() => null)
    const numbers = value.split('-')
    if (numbers.length !== names.length || !numbers.every((number) => /^\d+$/.test(number)))
      throw wrong(table, partition)
    return numbers.map((number) => String(Number(number)))
  })
}

/** The inverse of `partitionValues`: one text for each partition key. */
export function partitionOf(
  columns: readonly PartitionColumn[],
  values: readonly (string | null)[],
): (string | null)[] {
  const texts: (string | null)[] = []
  columns.forEach(({ transform }, position) => {
    const value = values[position] ?? null
    if (transform === 'identity') texts.push(value)
    else if (transform === 'year') texts.push(value?.padStart(4, '0') ?? null)
    else {
      const before = texts.pop() ?? null
      texts.push(before === null || value === null ? null : `${before}-${value.padStart(2, '0')}`)
    }
  })
  return texts
}

function wrong(table: Table, partition: readonly (string | null)[]): CatalogError {
  return new CatalogError(
    `The partition values of a new file of ${table.name} do not match the partitioning of the table.`,
    {
      code: 'catalog.part',
      details: { partition: JSON.stringify(partition) },
    },
  )
}

/** The statistics of each leaf column of the table. None may be missing, or readers would prune the file wrongly. */
export function leavesOf(part: Part, columns: readonly CatalogColumn[]): LeafStats[] {
  const byField = new Map(part.stats.map((leaf) => [leaf.fieldId, leaf]))
  return columns.map((column) => {
    const leaf = byField.get(column.id)
    if (leaf !== undefined) return withKeptBounds(leaf)
    throw new CatalogError('A new file has no statistics for a column.', {
      code: 'catalog.part',
      details: { path: part.path, column: column.name, 'field id': column.id },
    })
  })
}

/** PostgreSQL cannot store U+0000 in a text. Columns with such a bound get no bounds, so that no reader prunes the file. */
function withKeptBounds(leaf: LeafStats): LeafStats {
  return hasKeptBounds(leaf) ? leaf : { ...leaf, min: null, max: null }
}

/** Whether the catalog can store these bounds of a column. */
export function hasKeptBounds({ min, max }: Pick<LeafStats, 'min' | 'max'>): boolean {
  return !`${min}${max}`.includes('\0')
}

/** The tables with the ids that their columns have, or will have, in the lake; see `giveIds`. */
export async function withLakeIds(
  session: Session,
  tables: readonly Table[],
  dropped: 'drop' | 'refuse',
): Promise<Table[]> {
  if (tables.length === 0) return []
  const stored = await readDeclaredTables(session)
  return tables.map((table) => giveIds(table, stored.get(table.name), dropped))
}

/**
 * Creates missing tables and changes the others to these declarations, before any file of them is written: no other run can give their ids
 * to other columns. It makes a snapshot only if something changes.
 */
export async function declareTables(session: Session, tables: readonly Table[], runId: string): Promise<void> {
  if (tables.length === 0) return
  await inTransaction(session, async () => {
    const snapshot = await nextSnapshot(session)
    await ensureTables(session, snapshot, tables, await readTables(session))
    if (snapshot.changes.length === 0) return
    const names = tables.map(({ name }) => name).join(', ')
    await writeSnapshot(session, snapshot, { message: `tables declared by run ${runId}: ${names}`, runId })
  })
}

/** The ids that new files of a table refer to. */
type TableIds = Pick<KnownTable, 'id' | 'partitionId'>

/**
 * Creates the missing tables and updates the columns and the sort order of the existing ones. `known` are the tables in the catalog.
 *
 * @throws SchemaChangedError when the columns, the key or the partitioning of a table are incompatible with the declaration.
 */
export async function ensureTables(
  session: Session,
  snapshot: Snapshot,
  tables: readonly Table[],
  known: ReadonlyMap<string, KnownTable>,
): Promise<Map<string, TableIds>> {
  const result = new Map<string, TableIds>()
  for (const table of tables) {
    const found = known.get(table.name)
    if (found === undefined) result.set(table.name, await createTable(session, snapshot, table))
    else {
      await alterTable(session, snapshot, table, found)
      result.set(table.name, found)
    }
  }
  return result
}

/** Compares every declaration with the catalog. It throws the SchemaChangedError that `ensureTables` would throw. */
export async function verifyDeclarations(session: Session, tables: readonly Table[]): Promise<void> {
  const known = await readTables(session)
  const changed: Table[] = []
  for (const table of tables) {
    const found = known.get(table.name)
    if (found === undefined) continue
    columnChanges(table, found.columns)
    verifyLayout(table, found.layout)
    if (found.rules !== rulesOf(table).md5) changed.push(table)
  }
  if (changed.length === 0) return
  const stored = await readDeclaredTables(session, known)
  for (const table of changed) verifyHistory(table, stored.get(table.name))
}

async function createTable(session: Session, snapshot: Snapshot, table: Table): Promise<TableIds> {
  const id = snapshot.nextCatalogId++
  const { name } = table
  await session.run(
    'INSERT INTO main.ducklake_table VALUES ($1, gen_random_uuid(), $2, NULL, (SELECT max(schema_id) FROM main.ducklake_schema WHERE schema_name = $5 AND end_snapshot IS NULL), $3, $4, true)',
    [id, snapshot.id, name, `${name}/`, 'main'],
  )
  await writeColumns(session, snapshot, id, catalogColumns(table))
  const partitionId = await writePartitioning(session, snapshot, id, table)
  if (table.sortBy.length > 0) await writeSorting(session, snapshot, id, table.sortBy)
  await session.append('main', 'ducklake_tag', [
    [id, snapshot.id, null, 'comment', table.comment],
    [id, snapshot.id, null, keyTag, layoutOf(table).key.join(',')],
    [id, snapshot.id, null, rulesTag, rulesOf(table).text],
  ])
  await session.append('main', 'ducklake_table_stats', [[id, 0, 0, 0]])
  snapshot.schemaVersion++
  snapshot.changes.push(`created_table:"main"."${name}"`)
  await session.append('main', 'ducklake_schema_versions', [[snapshot.id, snapshot.schemaVersion, id]])
  return { id, partitionId }
}

async function alterTable(session: Session, snapshot: Snapshot, table: Table, known: KnownTable): Promise<void> {
  verifyLayout(table, known.layout)
  const { written, ended } = columnChanges(table, known.columns)
  if (ended.length > 0)
    for (const versioned of ['ducklake_column', 'ducklake_column_tag'])
      await endRows(session, versioned, `table_id = ${known.id} AND column_id IN (${ended})`, snapshot)
  await writeColumns(session, snapshot, known.id, written)
  const isReordered = known.layout.sortBy.join() !== table.sortBy.join()
  if (isReordered) await writeSorting(session, snapshot, known.id, table.sortBy)
  if (known.rules !== rulesOf(table).md5) await updateRules(session, snapshot, table, known)
  else if (!isReordered && ended.length === 0) return
  snapshot.schemaVersion++
  snapshot.changes.push(`altered_table:${known.id}`)
  await session.append('main', 'ducklake_schema_versions', [[snapshot.id, snapshot.schemaVersion, known.id]])
}

/** Updates the rules and the comments of a table. Columns that were written in this snapshot have the new comments. */
async function updateRules(session: Session, snapshot: Snapshot, table: Table, { id }: KnownTable): Promise<void> {
  const stored = (await readDeclaredTables(session)).get(table.name)
  verifyHistory(table, stored)
  const comments = new Map(stored === undefined ? [] : catalogColumns(stored).map((each) => [each.id, each.comment]))
  const changed = catalogColumns(table).filter((column) => comments.get(column.id) !== column.comment)
  const ids = changed.map((column) => column.id)
  if (ids.length > 0)
    await endRows(session, 'ducklake_column_tag', `table_id = ${id} AND column_id IN (${ids})`, snapshot)
  const rows = changed.map(({ id: column, comment }): Cell[] => [id, column, snapshot.id, null, 'comment', comment])
  await session.append('main', 'ducklake_column_tag', rows)
  await endRows(session, 'ducklake_tag', `object_id = ${id} AND key IN ('comment', '${rulesTag}')`, snapshot)
  await session.append('main', 'ducklake_tag', [
    [id, snapshot.id, null, 'comment', table.comment],
    [id, snapshot.id, null, rulesTag, rulesOf(table).text],
  ])
}

/** Ends the current versions of rows. Earlier snapshots keep them. */
async function endRows(session: Session, table: string, condition: string, { id }: Snapshot): Promise<void> {
  await session.run(`UPDATE main.${table} SET end_snapshot = $1 WHERE end_snapshot IS NULL AND ${condition}`, [id])
}

async function writeColumns(
  session: Session,
  snapshot: Snapshot,
  tableId: number,
  columns: readonly CatalogColumn[],
): Promise<void> {
  const row = (column: CatalogColumn): Cell[] => {
    const { id, order, name, type, nullable, parentId } = column
    const defaultType = isLeaf(column) ? 'literal' : ''
    return [id, snapshot.id, null, tableId, order, name, type, null, 'NULL', nullable, parentId, defaultType, 'duckdb']
  }
  await session.append('main', 'ducklake_column', columns.map(row))
  const comments = columns.map(({ id, comment }) => [tableId, id, snapshot.id, null, 'comment', comment])
  await session.append('main', 'ducklake_column_tag', comments)
}

export function layoutOf(table: Table): KnownLayout {
  const ids = new Map(fieldsOf(table).map(({ name, id }) => [name, id]))
  const idOf = (column: string): number => ids.get(column) ?? 0
  return {
    key: table.key.map(idOf),
    partition: table.partitionBy.flatMap((key) =>
      transforms(key).map((transform) => ({ columnId: idOf(key.column), transform })),
    ),
    sortBy: table.sortBy,
  }
}

/**
 * Refuses a key or partitioning that differs from the lake. Otherwise chainlake would confuse rows, or readers would miss folders.
 *
 * @throws SchemaChangedError
 */
function verifyLayout(table: Table, known: KnownLayout): void {
  const declared = layoutOf(table)
  const names = new Map(fieldsOf(table).map(({ name, id }) => [id, name]))
  const nameOf = (id: number): string => names.get(id) ?? table.ids?.retired[id] ?? `column ${id}`
  const keyText = (key: readonly number[]): string => key.map(nameOf).join(', ')
  if (sorted(known.key) !== sorted(declared.key))
    throw otherLayout(table, 'key', keyText(known.key), keyText(declared.key))
  const partitionText = (columns: readonly PartitionColumn[]): string =>
    columns.map(({ columnId, transform }) => `${transform} of ${nameOf(columnId)}`).join(', ') || 'none'
  if (partitionText(known.partition) !== partitionText(declared.partition))
    throw otherLayout(table, 'folders', partitionText(known.partition), partitionText(declared.partition))
}

/** Writes the partitioning of a new table. Returns its id; null if the table is not partitioned. */
async function writePartitioning(
  session: Session,
  snapshot: Snapshot,
  tableId: number,
  table: Table,
): Promise<number | null> {
  const { partition } = layoutOf(table)
  if (partition.length === 0) return null
  const partitionId = snapshot.nextCatalogId++
  await session.append('main', 'ducklake_partition_info', [[partitionId, tableId, snapshot.id, null]])
  await session.append(
    'main',
    'ducklake_partition_column',
    partition.map(({ columnId, transform }, position) => [partitionId, tableId, position, columnId, transform]),
  )
  return partitionId
}

/** Writes the sort order of a table. Existing files keep their order. */
async function writeSorting(
  session: Session,
  snapshot: Snapshot,
  tableId: number,
  sortBy: readonly string[],
): Promise<void> {
  await endRows(session, 'ducklake_sort_info', `table_id = ${tableId}`, snapshot)
  if (sortBy.length === 0) return
  const sortId = snapshot.nextCatalogId++
  await session.append('main', 'ducklake_sort_info', [[sortId, tableId, snapshot.id, null]])
  await session.append(
    'main',
    'ducklake_sort_expression',
    sortBy.map((column, position) => [sortId, tableId, position, column, 'duckdb', 'ASC', 'NULLS_LAST']),
  )
}

function sorted(ids: readonly number[]): string {
  return [...ids].sort((a, b) => a - b).join()
}

/**
 * Refuses another history or meaning than that of the lake (undefined: the lake does not have the table): stored rows would get another
 * meaning.
 *
 * @throws SchemaChangedError
 */
function verifyHistory(table: Table, stored: Table | undefined): void {
  if (stored !== undefined && stored.history !== table.history)
    throw otherLayout(table, 'history', stored.history, table.history)
  if (stored !== undefined && stored.meaning !== table.meaning)
    throw otherLayout(table, 'meaning', stored.meaning ?? 'none', table.meaning ?? 'none')
}

const layoutNames = { key: 'key', folders: 'partitioning', history: 'history', meaning: 'meaning' }

function otherLayout(table: Table, what: keyof typeof layoutNames, before: string, now: string): SchemaChangedError {
  return new SchemaChangedError(
    `The ${layoutNames[what]} of table ${table.name} in the lake differs from the declared one.`,
    {
      details: { table: table.name, [`${what} in the lake`]: before, [`${what} declared`]: now },
      hint: 'Nothing was written. Give the table of your own pipeline another name (of an event with the parameter table), use the version of chainlake that wrote the lake, or export into a new lake.',
    },
  )
}

/**
 * Gives the columns of a table without permanent ids those of the lake (undefined: the lake does not have the table). A new column gets an
 * id that no column of the table has ever had. `dropped`: whether columns that are no longer declared leave the table; otherwise a run
 * refuses such a table. Throws the errors of `columnIds`.
 */
export function giveIds(table: Table, stored: Table | undefined, dropped: 'drop' | 'refuse' = 'refuse'): Table {
  if (table.ids !== null) return table
  const before = stored?.ids ?? null
  const ids = columnIds(table, before)
  if (dropped === 'drop' || before === null) return { ...table, ids }
  return { ...table, ids: { ...ids, retired: before.retired } }
}
