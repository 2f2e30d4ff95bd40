import { fieldsOf, type Table } from '../define/index.ts'
import { type CatalogColumn, catalogColumns, isLeaf, newColumns } from './catalog-columns.ts'
import { transforms } from './partition-values.ts'
import type { Cell, Session } from './session.ts'
import type { Snapshot } from './snapshot.ts'

/** A table as the catalog knows it. */
export type KnownTable = { readonly id: number; readonly partitionId: number | null }

/**
 * Creates the tables that the catalog lacks and adds the columns that a declaration has gained.
 *
 * @throws SchemaChangedError when a table was written with columns that do not fit the declaration.
 */
export async function ensureTables(
  session: Session,
  snapshot: Snapshot,
  tables: readonly Table[],
): Promise<Map<string, KnownTable>> {
  const known = await readTables(session)
  const result = new Map<string, KnownTable>()
  for (const table of tables) {
    const found = known.get(table.name)
    if (found === undefined) result.set(table.name, await createTable(session, snapshot, table))
    else {
      await addColumns(session, snapshot, found.id, newColumns(table, found.columns))
      result.set(table.name, found)
    }
  }
  return result
}

/** Compares every declaration with the catalog; throws SchemaChangedError as `ensureTables` would. */
export async function verifyDeclarations(session: Session, tables: readonly Table[]): Promise<void> {
  const known = await readTables(session)
  for (const table of tables) {
    const found = known.get(table.name)
    if (found !== undefined) newColumns(table, found.columns)
  }
}

type FoundTable = KnownTable & { readonly columns: Omit<CatalogColumn, 'comment'>[] }

/** The current tables with their current columns, in the order of their ids. */
export async function readTables(session: Session): Promise<Map<string, FoundTable>> {
  const rows = await session.rows(
    `SELECT t.table_name, t.table_id, p.partition_id, c.column_id, c.column_name, c.column_type, c.nulls_allowed, c.parent_column
     FROM main.ducklake_table t
     JOIN main.ducklake_column c ON c.table_id = t.table_id AND c.end_snapshot IS NULL
     LEFT JOIN main.ducklake_partition_info p ON p.table_id = t.table_id AND p.end_snapshot IS NULL
     WHERE t.end_snapshot IS NULL ORDER BY t.table_id, c.column_id`,
  )
  const tables = new Map<string, FoundTable>()
  for (const row of rows) {
    const table: FoundTable = tables.get(row['table_name']) ?? {
      id: row['table_id'],
      partitionId: row['partition_id'],
      columns: [],
    }
    tables.set(row['table_name'], table)
    table.columns.push({
      id: row['column_id'],
      name: row['column_name'],
      type: row['column_type'],
      nullable: row['nulls_allowed'],
      parentId: row['parent_column'],
    })
  }
  return tables
}

async function createTable(session: Session, snapshot: Snapshot, table: Table): Promise<KnownTable> {
  const id = snapshot.nextCatalogId++
  const { name } = table
  await session.run(
    'INSERT INTO main.ducklake_table VALUES ($1, uuid(), $2, NULL, (SELECT max(schema_id) FROM main.ducklake_schema WHERE schema_name = $5 AND end_snapshot IS NULL), $3, $4, true)',
    [id, snapshot.id, name, `${name}/`, 'main'],
  )
  await session.append('main', 'ducklake_tag', [[id, snapshot.id, null, 'comment', table.comment]])
  await writeColumns(session, snapshot, id, catalogColumns(table))
  const partitionId = await writePartitioning(session, snapshot, id, table)
  await writeSorting(session, snapshot, id, table)
  await session.append('main', 'ducklake_table_stats', [[id, 0, 0, 0]])
  snapshot.schemaVersion++
  snapshot.changes.push(`created_table:"main"."${name}"`)
  await session.append('main', 'ducklake_schema_versions', [[snapshot.id, snapshot.schemaVersion, id]])
  return { id, partitionId }
}

async function addColumns(
  session: Session,
  snapshot: Snapshot,
  tableId: number,
  columns: readonly CatalogColumn[],
): Promise<void> {
  if (columns.length === 0) return
  await writeColumns(session, snapshot, tableId, columns)
  snapshot.schemaVersion++
  snapshot.changes.push(`altered_table:${tableId}`)
  await session.append('main', 'ducklake_schema_versions', [[snapshot.id, snapshot.schemaVersion, tableId]])
}

async function writeColumns(
  session: Session,
  snapshot: Snapshot,
  tableId: number,
  columns: readonly CatalogColumn[],
): Promise<void> {
  const row = (column: CatalogColumn): Cell[] => {
    const { id, name, type, nullable, parentId } = column
    const defaultType = isLeaf(column) ? 'literal' : ''
    return [id, snapshot.id, null, tableId, id, name, type, null, 'NULL', nullable, parentId, defaultType, 'duckdb']
  }
  await session.append('main', 'ducklake_column', columns.map(row))
  const comments = columns.map(({ id, comment }) => [tableId, id, snapshot.id, null, 'comment', comment])
  await session.append('main', 'ducklake_column_tag', comments)
}

async function writePartitioning(
  session: Session,
  snapshot: Snapshot,
  tableId: number,
  table: Table,
): Promise<number | null> {
  if (table.partitionBy.length === 0) return null
  const partitionId = snapshot.nextCatalogId++
  const columnIds = new Map(fieldsOf(table).map((field) => [field.name, field.id]))
  const keys = table.partitionBy.flatMap((key) =>
    transforms(key).map((transform) => ({ transform, columnId: columnIds.get(key.column) ?? 0 })),
  )
  await session.append('main', 'ducklake_partition_info', [[partitionId, tableId, snapshot.id, null]])
  await session.append(
    'main',
    'ducklake_partition_column',
    keys.map(({ transform, columnId }, position) => [partitionId, tableId, position, columnId, transform]),
  )
  return partitionId
}

async function writeSorting(session: Session, snapshot: Snapshot, tableId: number, table: Table): Promise<void> {
  if (table.sortBy.length === 0) return
  const sortId = snapshot.nextCatalogId++
  await session.append('main', 'ducklake_sort_info', [[sortId, tableId, snapshot.id, null]])
  await session.append(
    'main',
    'ducklake_sort_expression',
    table.sortBy.map((column, position) => [sortId, tableId, position, column, 'duckdb', 'ASC', 'NULLS_LAST']),
  )
}
