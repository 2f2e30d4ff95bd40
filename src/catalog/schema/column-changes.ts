import type { Table } from '../../define/index.ts'
import { SchemaChangedError } from '../../errors.ts'
import { type CatalogColumn, catalogColumns } from './catalog-columns.ts'

/** A column that is stored in the catalog. */
export type KnownColumn = Omit<CatalogColumn, 'comment'>

const notDeclared = 'not declared'

/** The changes that turn the columns of the catalog into those of a declaration. */
type ColumnChanges = {
  readonly added: readonly CatalogColumn[]
  /** Columns that moved or became nullable. */
  readonly altered: readonly CatalogColumn[]
  /** Ids of retired columns. */
  readonly retired: readonly number[]
}

/**
 * Compares the columns of a table with those of the catalog by id. A new column must be nullable and may be anywhere. Columns may move, be
 * retired or become nullable.
 *
 * @throws SchemaChangedError for any other difference.
 */
export function columnChanges(table: Table, known: readonly KnownColumn[]): ColumnChanges {
  const declared = new Map(catalogColumns(table).map((column) => [column.id, column]))
  const retired = known.filter(({ id }) => !declared.has(id))
  const kept = known.flatMap((before) => {
    const now = declared.get(before.id)
    return now === undefined ? [] : [{ before, now }]
  })
  const knownIds = new Set(known.map(({ id }) => id))
  const added = [...declared.values()].filter(({ id }) => !knownIds.has(id))
  for (const column of retired)
    if (table.ids?.retired[column.id] === undefined) throw changed(table, column.name, describe(column), notDeclared)
  for (const { before, now } of kept)
    if (!isCompatible(before, now)) throw changed(table, before.name, describe(before), describe(now))
  for (const column of added)
    if (!mayBeAdded(column, knownIds))
      throw changed(table, column.name, 'missing', `new and not nullable: ${describe(column)}`)
  return {
    added,
    altered: kept
      .filter(({ before, now }) => before.order !== now.order || before.nullable !== now.nullable)
      .map(({ now }) => now),
    retired: retired.map(({ id }) => id),
  }
}

/** A column that is nested in another new column is null in all existing files, too. */
function mayBeAdded({ nullable, parentId }: CatalogColumn, knownIds: ReadonlySet<number>): boolean {
  return nullable || (parentId !== null && !knownIds.has(parentId))
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
