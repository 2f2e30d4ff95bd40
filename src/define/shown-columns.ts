import { sqlName } from '../lib/text/sql-quote.ts'
import { blockDate, blockTime, dateColumn, utcDate } from './block-date.ts'
import type { Column, Columns } from './column.ts'
import { type ViewColumn, type ViewColumns, viewColumn } from './derived-view.ts'
import type { Table } from './table.ts'

/** Whether the view of a table adds the date: to a time of a block, unless the table has its own column of that name. */
export function hasBlockDate({ columns }: Table): boolean {
  return columns[blockTime]?.type.kind === 'timestamp' && !(blockDate in columns)
}

/**
 * Whether the view of a table shows a column as `0x` text, although files hold bytes: an address, which is text in most tables. A comparison
 * of bytes with text finds nothing, without an error.
 */
export function isShownAsText(name: string, { type }: Pick<Column, 'type'>): boolean {
  return type.kind === 'blob' && /(^|_)address$/.test(name)
}

/** A SELECT of the columns that the view of a table shows, from a source with the columns of the table. */
export function shownQuery(table: Table, source: string): string {
  const texts = Object.entries(table.columns as Columns).flatMap(([name, column]) =>
    isShownAsText(name, column) ? [`'0x' || lower(hex(${sqlName(name)})) AS ${sqlName(name)}`] : [],
  )
  const replaced = texts.length === 0 ? '' : ` REPLACE (${texts.join(', ')})`
  const added = hasBlockDate(table) ? `, ${utcDate(blockTime)} AS ${blockDate}` : ''
  return `SELECT *${replaced}${added} FROM ${source}`
}

/** The columns that the view of a table shows. */
export function shownColumns(table: Table): ViewColumns {
  const own = Object.entries(table.columns as Columns).map(([name, column]) => [name, shownColumn(name, column)])
  return { ...Object.fromEntries(own), ...addedColumns(table) }
}

function shownColumn(name: string, column: Column): ViewColumn {
  if (!isShownAsText(name, column)) return viewColumn(column)
  return { type: 'VARCHAR', comment: `${column.comment} In the files it is BLOB.` }
}

/** Whether a column that the view of a table shows may be null. */
export function isNullable(table: Table, column: string): boolean {
  const { nullable } = table.columns[column in table.columns ? column : blockTime]
  return nullable
}

function addedColumns(table: Table): ViewColumns {
  return hasBlockDate(table) ? { [blockDate]: dateColumn(table.name, blockTime, isNullable(table, blockDate)) } : {}
}
