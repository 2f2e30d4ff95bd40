import { CatalogError } from '../../errors.ts'
import type { Session } from '../session/session.ts'
import { settleAll } from '../session/settle-all.ts'
import { isAt, newest } from '../session/snapshot.ts'
import type { KnownColumn } from './column-changes.ts'
import { rulesTag } from './table-rules.ts'

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
export type KnownLayout = {
  /** Ids of the columns of the key. */
  readonly key: readonly number[]
  readonly partition: readonly PartitionColumn[]
  /** Names of columns. */
  readonly sortBy: readonly string[]
}

export type PartitionColumn = { readonly columnId: number; readonly transform: string }

/** Name of the tag with the key of a table: column ids, separated by commas. */
export const keyTag = 'chainlake.key'

/** The tables of a snapshot (default: the latest) with their columns, by name in the order of their ids. */
export async function readTables(session: Session, at: number = newest): Promise<Map<string, KnownTable>> {
  const named = session.rows(
    `SELECT t.table_name, t.table_id, p.partition_id, g.value AS table_key, md5(r.value) AS rules
     FROM main.ducklake_table t
     LEFT JOIN main.ducklake_partition_info p ON p.table_id = t.table_id AND ${isAt('p', at)}
     LEFT JOIN main.ducklake_tag g ON g.object_id = t.table_id AND ${isAt('g', at)} AND g.key = $1
     LEFT JOIN main.ducklake_tag r ON r.object_id = t.table_id AND ${isAt('r', at)} AND r.key = $2
     WHERE ${isAt('t', at)} ORDER BY t.table_id`,
    [keyTag, rulesTag],
  )
  const [rows, columns, partitions, orders] = await settleAll([
    named,
    readColumns(session, at),
    readPartitions(session),
    readOrders(session, at),
  ])
  return new Map(
    rows.map((row) => {
      const id: number = row['table_id']
      const name: string = row['table_name']
      // Folders have this name, and SQL.
      if (!/^[a-z][a-z0-9_]*$/.test(name)) throw unknownName(name)
      const key = String(row['table_key'] ?? '')
        .split(',')
        .map(Number)
      const layout = { key, partition: partitions.get(row['partition_id']) ?? [], sortBy: orders.get(id) ?? [] }
      const { partition_id: partitionId, rules } = row
      return [name, { id, partitionId, columns: columns.get(id) ?? [], layout, rules: rules ?? '' }]
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

async function readColumns(session: Session, at: number): Promise<Map<number, KnownColumn[]>> {
  const rows = await session.rows(
    `SELECT table_id, column_id, column_order, column_name, column_type, nulls_allowed, parent_column
     FROM main.ducklake_column c WHERE ${isAt('c', at)} ORDER BY table_id, column_order`,
  )
  return grouped(rows, 'table_id', (row) => ({
    id: row['column_id'],
    order: row['column_order'],
    name: row['column_name'],
    type: row['column_type'],
    nullable: row['nulls_allowed'],
    parentId: row['parent_column'],
  }))
}

/** The columns of every partitioning that files were ever written with, by its id. */
export async function readPartitions(session: Session): Promise<Map<number, PartitionColumn[]>> {
  const rows = await session.rows(
    'SELECT partition_id, column_id, transform FROM main.ducklake_partition_column ORDER BY partition_id, partition_key_index',
  )
  return grouped(rows, 'partition_id', (row) => ({ columnId: row['column_id'], transform: row['transform'] }))
}

async function readOrders(session: Session, at: number): Promise<Map<number, string[]>> {
  const rows = await session.rows(
    `SELECT e.table_id, e.expression FROM main.ducklake_sort_expression e JOIN main.ducklake_sort_info i USING (sort_id)
     WHERE ${isAt('i', at)} ORDER BY e.table_id, e.sort_key_index`,
  )
  return grouped(rows, 'table_id', (row) => row['expression'])
}

function grouped<T>(
  rows: Awaited<ReturnType<Session['rows']>>,
  column: string,
  itemOf: (row: (typeof rows)[number]) => T,
): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const row of rows) {
    const group = groups.get(row[column]) ?? []
    groups.set(row[column], group)
    group.push(itemOf(row))
  }
  return groups
}
