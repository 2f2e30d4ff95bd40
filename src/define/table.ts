import { DefinitionError } from '../errors.ts'
import type { Column, Columns, RowOfColumns } from './column.ts'

/** How rows are spread over folders. `month` and `day` cut a timestamp column in UTC; null goes to its own partition. */
export type PartitionKey<K extends string = string> =
  | { readonly transform: 'identity'; readonly column: K }
  | { readonly transform: 'month'; readonly column: K }
  | { readonly transform: 'day'; readonly column: K }

export function identity<const K extends string>(column: K): PartitionKey<K> {
  return { transform: 'identity', column }
}

export function month<const K extends string>(column: K): PartitionKey<K> {
  return { transform: 'month', column }
}

export function day<const K extends string>(column: K): PartitionKey<K> {
  return { transform: 'day', column }
}

/** Rows per row group: flat tables, tables with lists and structs, tables of raw bytes. */
export const rowGroupRows = { flat: 122_880, nested: 20_480, raw: 16_384 } as const

export type Table<C extends Columns = any> = {
  readonly name: string
  readonly comment: string
  /** Columns whose values together name one row. */
  readonly key: readonly string[]
  readonly sortBy: readonly string[]
  readonly partitionBy: readonly PartitionKey[]
  readonly rowGroup: keyof typeof rowGroupRows
  readonly history: History
  /** Of a table of versions: columns that may differ without making another version, since they are about the answer. */
  readonly notCompared: readonly string[]
  readonly columns: C
}

/**
 * What a key says over time: `rows` never change; of `observations` each complete one has all rows anew (columns `subject`,
 * `observation_id`, `observed_at`); of `versions` a row is stored when it differs from its latest version (columns `observation_id`,
 * `observed_at`, `version_hash`, and `present` where rows can go away). The last two have a view `<table>_latest`.
 */
export type History = 'rows' | 'observations' | 'versions'

type TableDeclaration<C extends Columns> = {
  name: string
  comment: string
  key: readonly (keyof C & string)[]
  sortBy: readonly (keyof C & string)[]
  partitionBy: readonly PartitionKey<keyof C & string>[]
  rowGroup?: keyof typeof rowGroupRows
  history?: History
  notCompared?: readonly (keyof C & string)[]
  columns: C
}

/** The type of a row of the table. */
export type RowOf<T> = T extends Table<infer C> ? RowOfColumns<C> : never

/** Declares a table of the lake. Columns keep their order; a new one is appended, nullable, never put between. */
export function table<C extends Columns>(declaration: TableDeclaration<C>): Table<C> {
  const { name, comment, columns } = declaration
  if (!/^[a-z][a-z0-9_]*$/.test(name))
    throw new DefinitionError(`Table name ${JSON.stringify(name)} is not snake_case.`)
  if (comment.trim() === '') throw new DefinitionError(`Table ${name} needs a comment.`)
  const { key, sortBy, partitionBy, notCompared = [] } = declaration
  for (const column of [...key, ...sortBy, ...partitionBy.map((p) => p.column), ...notCompared])
    if (!(column in columns))
      throw new DefinitionError(`Table ${name} names a column ${column} that it does not declare.`)
  for (const column of Object.keys(columns))
    if (!/^[a-z][a-z0-9_]*$/.test(column)) throw new DefinitionError(`Column ${name}.${column} is not snake_case.`)
  return { rowGroup: 'flat', history: 'rows', notCompared: [], ...declaration }
}

export type Field = {
  /** Parquet field id and DuckLake column id: from 1, depth first, parents before children. */
  readonly id: number
  /** Name in the file: the column's, `element` for list items. */
  readonly name: string
  /** Dotted path from the top-level column. */
  readonly path: string
  readonly column: Column
  readonly children: readonly Field[]
}

/** The columns of a table as fields with ids. A column that is appended later takes the next id: old ids never move. */
export function fieldsOf(table: Table): Field[] {
  let next = 1
  const visit = (name: string, path: string, column: Column): Field => {
    const id = next++
    const type = column.type
    const children =
      type.kind === 'list'
        ? [visit('element', `${path}.element`, type.item)]
        : type.kind === 'struct'
          ? Object.entries(type.fields).map(([child, declared]) => visit(child, `${path}.${child}`, declared))
          : []
    return { id, name, path, column, children }
  }
  return Object.entries(table.columns as Columns).map(([name, column]) => visit(name, name, column))
}
