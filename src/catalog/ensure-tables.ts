import { fieldsOf, type Table } from '../define/index.ts'
import { columnIds } from '../define/table.ts'
import { SchemaChangedError } from '../errors.ts'
import { type CatalogColumn, catalogColumns, isLeaf } from './schema.ts'
import { type Cell, inTransaction, nextSnapshot, type Session, type Snapshot, writeSnapshot } from './session.ts'
import {
  columnChanges,
  type KnownLayout,
  type KnownTable,
  keyTag,
  type PartitionColumn,
  readDeclaredTables,
  readTables,
  rulesOf,
  rulesTag,
  transforms,
} from './tables.ts'

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
export type TableIds = Pick<KnownTable, 'id' | 'partitionId'>

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
  const { added, altered, retired } = columnChanges(table, known.columns)
  const ended = [...altered.map(({ id }) => id), ...retired]
  if (ended.length > 0)
    for (const versioned of ['ducklake_column', 'ducklake_column_tag'])
      await endRows(session, versioned, `table_id = ${known.id} AND column_id IN (${ended})`, snapshot)
  await writeColumns(session, snapshot, known.id, [...altered, ...added])
  const isReordered = known.layout.sortBy.join() !== table.sortBy.join()
  if (isReordered) await writeSorting(session, snapshot, known.id, table.sortBy)
  if (known.rules !== rulesOf(table).md5) await updateRules(session, snapshot, table, known)
  else if (!isReordered && added.length + altered.length + retired.length === 0) return
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

/** The layout of a declared table. */
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
