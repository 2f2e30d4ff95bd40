import { isNullable, shownColumns, type Table, type ViewColumn } from '../../../define/index.ts'
import type { Declared } from './declared.ts'

export type Listed = { readonly name: string; readonly kind: 'table' | 'view'; readonly comment: string }

type ColumnDescription = {
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

/** The tables, then the views. */
export function tableList({ tables, views }: Declared): Listed[] {
  return [
    ...tables.map(({ name, comment }): Listed => ({ name, kind: 'table', comment })),
    ...views.map(({ name, comment }): Listed => ({ name, kind: 'view', comment })),
  ]
}

/** The declaration of a table or view; undefined for an unknown name. */
export function describeTable(name: string, { tables, views }: Declared): Description | undefined {
  const table = tables.find((candidate) => candidate.name === name)
  if (table !== undefined) return tableFacts(table)
  const view = views.find((candidate) => candidate.name === name)
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

function tableFacts(table: Table): Description {
  const { name, comment, key, partitionBy } = table
  return {
    name,
    kind: 'table',
    comment,
    key,
    partitionBy: partitionBy.map(({ transform, column }) =>
      transform === 'identity' ? column : `${transform} of ${column}`,
    ),
    columns: Object.entries(shownColumns(table)).map(([column, { type, comment }]) => ({
      name: column,
      type,
      nullable: isNullable(table, column),
      comment,
    })),
  }
}
