import { tables } from '../../../../schemas/index.ts'
import { derivedViews } from '../../../../schemas/views/index.ts'
import { duckdbType } from '../../../define/duckdb-type.ts'
import type { Column, Table, ViewColumn } from '../../../define/index.ts'

export type Listed = { readonly name: string; readonly kind: 'table' | 'view'; readonly comment: string }

export type ColumnDescription = {
  readonly name: string
  readonly type: string
  /** Undefined for views, which do not declare it. */
  readonly nullable?: boolean
  readonly comment: string
}

export type Description = Listed & {
  readonly key?: readonly string[]
  readonly partitionBy?: readonly string[]
  readonly columns: readonly ColumnDescription[]
}

export function tableList(): Listed[] {
  return [
    ...tables.map(({ name, comment }): Listed => ({ name, kind: 'table', comment })),
    ...derivedViews.map(({ name, comment }): Listed => ({ name, kind: 'view', comment })),
  ]
}

/** The declaration of a table or view; undefined for an unknown name. */
export function describeTable(name: string): Description | undefined {
  const table = tables.find((candidate) => candidate.name === name)
  if (table !== undefined) return tableFacts(table)
  const view = derivedViews.find((candidate) => candidate.name === name)
  if (view === undefined) return undefined
  return {
    name,
    kind: 'view',
    comment: view.comment,
    columns: Object.entries<ViewColumn>(view.columns).map(([column, { type, comment }]) => ({
      name: column,
      type,
      comment,
    })),
  }
}

function tableFacts({ name, comment, key, partitionBy, columns }: Table): Description {
  return {
    name,
    kind: 'table',
    comment,
    key,
    partitionBy: partitionBy.map(({ transform, column }) =>
      transform === 'identity' ? column : `${transform} of ${column}`,
    ),
    columns: Object.entries(columns as Record<string, Column>).map(([column, declared]) => ({
      name: column,
      type: duckdbType(declared.type),
      nullable: declared.nullable,
      comment: declared.comment,
    })),
  }
}
