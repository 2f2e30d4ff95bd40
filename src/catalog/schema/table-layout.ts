import { fieldsOf, type Table } from '../../define/index.ts'
import { SchemaChangedError } from '../../errors.ts'
import type { Session } from '../session/session.ts'
import type { Snapshot } from '../session/snapshot.ts'
import { type KnownLayout, keyTag, type PartitionColumn } from './known-tables.ts'
import { transforms } from './partition-values.ts'

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
export function verifyLayout(table: Table, known: KnownLayout): void {
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

/** Writes the changes in the layout of a table. `known` is null for a new table. Returns whether there were any. */
export async function writeLayout(
  session: Session,
  snapshot: Snapshot,
  tableId: number,
  table: Table,
  known: KnownLayout | null,
): Promise<boolean> {
  const { key, sortBy } = layoutOf(table)
  if (known === null)
    await session.append('main', 'ducklake_tag', [[tableId, snapshot.id, null, keyTag, key.join(',')]])
  const sameOrder = (known?.sortBy ?? []).join() === sortBy.join()
  if (!sameOrder) await writeSorting(session, snapshot, tableId, sortBy)
  return !sameOrder
}

/** Writes the partitioning of a new table. Returns its id; null if the table is not partitioned. */
export async function writePartitioning(
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
  await session.run(
    'UPDATE main.ducklake_sort_info SET end_snapshot = $1 WHERE table_id = $2 AND end_snapshot IS NULL',
    [snapshot.id, tableId],
  )
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
export function verifyHistory(table: Table, stored: Table | undefined): void {
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
