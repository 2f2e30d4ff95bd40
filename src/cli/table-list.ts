import { tables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import type { Column } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { suggestion } from './suggest.ts'

export type Listed = { readonly name: string; readonly kind: 'table' | 'view'; readonly comment: string }

export type ColumnDescription = {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  readonly comment: string
}

export type Description = Listed & {
  readonly key?: readonly string[]
  readonly partitionBy?: readonly string[]
  readonly columns?: readonly ColumnDescription[]
}

export function tableList(): Listed[] {
  return [
    ...tables.map(({ name, comment }): Listed => ({ name, kind: 'table', comment })),
    ...derivedViews.map(({ name, comment }): Listed => ({ name, kind: 'view', comment })),
  ]
}

/** What is declared of a table or view. Throws `ConfigError` with the nearest name for an unknown one. */
export function describe(name: string): Description {
  const listed = tableList()
  const found = listed.find((entry) => entry.name === name)
  if (found === undefined)
    throw new ConfigError(`There is no table or view ${JSON.stringify(name)}.`, {
      code: 'config.unknown-table',
      hint: suggestion(
        name,
        listed.map((entry) => entry.name),
      ),
    })
  const declared = tables.find((table) => table.name === name)
  if (declared === undefined) return found
  const columns = Object.entries(declared.columns as Record<string, Column>)
  return {
    ...found,
    key: declared.key,
    partitionBy: declared.partitionBy.map(({ transform, column }) =>
      transform === 'identity' ? column : `${transform} of ${column}`,
    ),
    columns: columns.map(([column, { nullable, comment, ...declaration }]) => ({
      name: column,
      type: sqlType({ nullable, comment, ...declaration }),
      nullable,
      comment,
    })),
  }
}

/** The type of a column as DuckDB writes it. */
export function sqlType({ type }: Column): string {
  if (type.kind === 'list') return `${sqlType(type.item)}[]`
  if (type.kind === 'struct')
    return `STRUCT(${Object.entries(type.fields)
      .map(([name, field]) => `${name} ${sqlType(field)}`)
      .join(', ')})`
  if (type.kind === 'decimal') return `DECIMAL(${type.precision},0)`
  return scalarTypes[type.kind]
}

const scalarTypes = {
  text: 'VARCHAR',
  int64: 'BIGINT',
  double: 'DOUBLE',
  boolean: 'BOOLEAN',
  timestamp: 'TIMESTAMP WITH TIME ZONE',
  blob: 'BLOB',
} as const
