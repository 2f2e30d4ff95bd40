import { DefinitionError } from '../errors.ts'
import { blockDate, blockTime, dateColumn } from './block-date.ts'
import type { Column } from './column.ts'
import { duckdbType } from './duckdb-type.ts'

/** A column of a view: its type, and what it holds. */
export type ViewColumn = {
  /** DuckDB type, as `describe` prints it. */
  readonly type: string
  readonly comment: string
}

/** The columns of a view by name. */
export type ViewColumns = { readonly [name: string]: ViewColumn }

/** A view over tables and other views. */
export type DerivedView<C extends ViewColumns = ViewColumns> = {
  readonly name: string
  readonly comment: string
  /** Tables and views that the query reads; their declarations come before this one. */
  readonly dependsOn: readonly string[]
  /** The columns, in the order in which the query selects them. */
  readonly columns: C
  /** Default: the text of `schemas/views/<name>.sql`. */
  readonly query?: string
  /** A time of the query. Its UTC date becomes the last column, `block_date`. */
  readonly dateOf?: string
}

/** Declares a derived view. */
export function derivedView<const C extends ViewColumns>(declaration: DerivedView<C>): DerivedView<C> {
  const { name, comment, columns } = declaration
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new DefinitionError(`View name ${JSON.stringify(name)} is not snake_case.`)
  if (comment.trim() === '') throw new DefinitionError(`View ${name} needs a comment.`)
  for (const [column, { comment }] of Object.entries(columns))
    if (comment.trim() === '') throw new DefinitionError(`Column ${name}.${column} needs a comment.`)
  return withBlockDate(declaration)
}

/** Adds the date of `block_time`, unless the view has no such time or its query selects the date. */
function withBlockDate<C extends ViewColumns>(view: DerivedView<C>): DerivedView<C> {
  if (view.columns[blockTime]?.type !== 'TIMESTAMP WITH TIME ZONE' || blockDate in view.columns) return view
  const time = 'known_time' in view.columns ? 'known_time' : blockTime
  const date = dateColumn(view.name, time, time === blockTime)
  return { ...view, dateOf: time, columns: { ...view.columns, [blockDate]: date } }
}

/** A view column that shows a table column unchanged, with its comment or another one. */
export function viewColumn(column: Column, comment: string = column.comment): ViewColumn {
  return { type: duckdbType(column.type), comment }
}

/** Views, some of them declared again. Each comes after the views that it reads. */
export function redeclaredViews(known: readonly DerivedView[], declared: readonly DerivedView[]): DerivedView[] {
  const names = new Set(declared.map(({ name }) => name))
  const others = known.filter(({ name }) => !names.has(name))
  const isReader = ({ name, dependsOn }: DerivedView) => {
    const reads = dependsOn.some((each) => names.has(each))
    if (reads) names.add(name)
    return reads
  }
  const readers = others.filter(isReader)
  return [...others.filter((view) => !readers.includes(view)), ...declared, ...readers]
}
