import type { Table } from '../../define/index.ts'
import { SchemaChangedError } from '../../errors.ts'
import { type CatalogColumn, catalogColumns } from './catalog-columns.ts'

/** A column as the catalog knows it. */
export type KnownColumn = Omit<CatalogColumn, 'comment'>

/** What makes the columns of the catalog those of a declaration. */
export type ColumnChanges = {
  readonly added: readonly CatalogColumn[]
  /** Known ones that stand elsewhere now, or may be null now. */
  readonly altered: readonly CatalogColumn[]
  /** Ids of columns that are retired. */
  readonly retired: readonly number[]
}

/**
 * Compares the columns of a table with those of the catalog, by their ids. Nullable columns may be new anywhere, columns may move, be
 * retired or become nullable.
 *
 * @throws SchemaChangedError for any other difference.
 */
export function columnChanges(table: Table, known: readonly KnownColumn[]): ColumnChanges {
  const declared = new Map(catalogColumns(table).map((column) => [column.id, column]))
  const knownIds = new Set(known.map(({ id }) => id))
  const altered: CatalogColumn[] = []
  const retired: number[] = []
  for (const column of known) {
    const now = declared.get(column.id)
    if (now === undefined && table.ids.retired[column.id] !== undefined) retired.push(column.id)
    else if (now === undefined) throw changed(table, column.name, describe(column), 'not declared')
    else if (isSame(column, now)) {
      if (column.order !== now.order || column.nullable !== now.nullable) altered.push(now)
    } else throw changed(table, column.name, describe(column), describe(now))
  }
  const added = [...declared.values()].filter(({ id }) => !knownIds.has(id))
  // What is nested in a new column is null with it.
  for (const column of added)
    if (!column.nullable && (column.parentId === null || knownIds.has(column.parentId)))
      throw changed(table, column.name, 'not there', `new and not nullable: ${describe(column)}`)
  return { added, altered, retired }
}

/** Whether files of before hold what is declared now: in columns that were never null there may be nulls from now on. */
function isSame(known: KnownColumn, now: CatalogColumn): boolean {
  const { name, type, parentId, nullable } = known
  return now.name === name && now.type === type && now.parentId === parentId && (now.nullable || !nullable)
}

function describe({ id, name, type, nullable }: KnownColumn): string {
  return `${name} ${type}${nullable ? '' : ' not null'} (field id ${id})`
}

function changed(table: Table, column: string, before: string, now: string): SchemaChangedError {
  return new SchemaChangedError(`Table ${table.name} was written with other columns than this version declares.`, {
    details: { table: table.name, column, 'in the lake': before, declared: now },
    hint: 'Use the version of chainlake that wrote the lake, or a newer one, or export into a new lake. Nothing was written.',
  })
}
