import { blockDate, blockTime, dateColumn, utcDate } from './block-date.ts'
import type { Columns } from './column.ts'
import { type ViewColumns, viewColumn } from './derived-view.ts'
import type { Table } from './table.ts'

/** Whether the view of a table adds the date: to a time of a block, unless the table has its own column of that name. */
export function hasBlockDate({ columns }: Table): boolean {
  return columns[blockTime]?.type.kind === 'timestamp' && !(blockDate in columns)
}

/** A SELECT of the columns that the view of a table shows, from a source with the columns of the table. */
export function shownQuery(table: Table, source: string): string {
  const added = hasBlockDate(table) ? `, ${utcDate(blockTime)} AS ${blockDate}` : ''
  return `SELECT *${added} FROM ${source}`
}

/** The columns that the view of a table shows. */
export function shownColumns(table: Table): ViewColumns {
  const own = Object.entries(table.columns as Columns).map(([name, column]) => [name, viewColumn(column)])
  return { ...Object.fromEntries(own), ...addedColumns(table) }
}

/** Whether a column that the view of a table shows may be null. */
export function isNullable(table: Table, column: string): boolean {
  const { nullable } = table.columns[column in table.columns ? column : blockTime]
  return nullable
}

function addedColumns(table: Table): ViewColumns {
  return hasBlockDate(table) ? { [blockDate]: dateColumn(table.name, blockTime, isNullable(table, blockDate)) } : {}
}
