import type { Table } from '../../define/index.ts'
import type { Cell, Session } from '../session/session.ts'
import type { Snapshot } from '../session/snapshot.ts'
import { type CatalogColumn, catalogColumns, isLeaf } from './catalog-columns.ts'
import { columnChanges } from './column-changes.ts'
import { readDeclaredTables } from './declared-tables.ts'
import { type KnownTable, readTables } from './known-tables.ts'
import { verifyHistory, verifyLayout, writeLayout, writePartitioning } from './table-layout.ts'
import { rulesOf, rulesTag } from './table-rules.ts'

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
  await session.append('main', 'ducklake_tag', [[id, snapshot.id, null, 'comment', table.comment]])
  await writeColumns(session, snapshot, id, catalogColumns(table))
  const partitionId = await writePartitioning(session, snapshot, id, table)
  await writeLayout(session, snapshot, id, table, null)
  await session.append('main', 'ducklake_tag', [[id, snapshot.id, null, rulesTag, rulesOf(table).text]])
  await session.append('main', 'ducklake_table_stats', [[id, 0, 0, 0]])
  snapshot.schemaVersion++
  snapshot.changes.push(`created_table:"main"."${name}"`)
  await session.append('main', 'ducklake_schema_versions', [[snapshot.id, snapshot.schemaVersion, id]])
  return { id, partitionId }
}

async function alterTable(session: Session, snapshot: Snapshot, table: Table, known: KnownTable): Promise<void> {
  verifyLayout(table, known.layout)
  const { added, altered, retired } = columnChanges(table, known.columns)
  await endColumns(session, snapshot, known.id, [...altered.map(({ id }) => id), ...retired])
  await writeColumns(session, snapshot, known.id, [...altered, ...added])
  const reordered = await writeLayout(session, snapshot, known.id, table, known.layout)
  if (known.rules !== rulesOf(table).md5) await updateRules(session, snapshot, table, known)
  else if (!reordered && added.length + altered.length + retired.length === 0) return
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
    await endTags(session, 'ducklake_column_tag', `table_id = ${id} AND column_id IN (${ids})`, snapshot)
  const rows = changed.map(({ id: column, comment }): Cell[] => [id, column, snapshot.id, null, 'comment', comment])
  await session.append('main', 'ducklake_column_tag', rows)
  await endTags(session, 'ducklake_tag', `object_id = ${id} AND key IN ('comment', '${rulesTag}')`, snapshot)
  await session.append('main', 'ducklake_tag', [
    [id, snapshot.id, null, 'comment', table.comment],
    [id, snapshot.id, null, rulesTag, rulesOf(table).text],
  ])
}

async function endTags(session: Session, table: string, condition: string, { id }: Snapshot): Promise<void> {
  await session.run(`UPDATE main.${table} SET end_snapshot = $1 WHERE end_snapshot IS NULL AND ${condition}`, [id])
}

/** Ends the current versions of columns. Earlier snapshots keep them. */
async function endColumns(
  session: Session,
  snapshot: Snapshot,
  tableId: number,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return
  for (const table of ['ducklake_column', 'ducklake_column_tag'])
    await session.run(
      `UPDATE main.${table} SET end_snapshot = $1
       WHERE table_id = $2 AND end_snapshot IS NULL AND column_id IN (${ids.join(', ')})`,
      [snapshot.id, tableId],
    )
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
