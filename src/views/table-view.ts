import { emptyQuery, parquetQuery, shownColumns, shownQuery, type Table } from '../define/index.ts'
import type { Store } from '../store/store.ts'
import { createScript, viewScript } from './view-script.ts'

/** A Parquet file of a table: its path relative to the lake, and its number of rows. */
export type TableFile = { readonly path: string; readonly rows: number }

type Addresses = Pick<Store, 'address'>

/**
 * The script of a table's view. It lists the files one by one, by their addresses. DuckDB finds the columns by field id; a column that an
 * older file does not have reads as null. Without files the view is empty, with the same types.
 */
export function tableViewScript(table: Table, store: Addresses, files: readonly TableFile[]): string {
  return files.length === 0 ? commentedEmptyTableScript(table) : commented(table, filesQuery(table, store, files))
}

/**
 * Creates views over files that cannot be read here, such as the files of a bucket. A macro replaces DuckDB's Parquet reader and gives the
 * columns. The macro ends with the connection, and the view then reads the files.
 */
export function unreachedScript(table: Table, script: string): string {
  return `CREATE OR REPLACE TEMP MACRO read_parquet(paths, schema := NULL, hive_partitioning := NULL, explicit_cardinality := NULL)
    AS TABLE ${emptyQuery(table)};
${script}`
}

/** The view of a table without files. */
export function commentedEmptyTableScript(table: Table): string {
  return commented(table, emptyTableQuery(table))
}

function commented(table: Table, query: string): string {
  const comment = `${table.comment} Key: ${table.key.join(', ')}.`
  return viewScript({ name: table.name, query, comment, columns: shownColumns(table) })
}

/** The same without comments, while DuckDB creates the views over it. */
export function emptyTableScript(table: Table): string {
  return createScript(table.name, emptyTableQuery(table))
}

/** The columns of a table's view, without rows. */
export function emptyTableQuery(table: Table): string {
  return shownQuery(table, `(\n${emptyQuery(table)}\n)`)
}

function filesQuery(table: Table, store: Addresses, files: readonly TableFile[]): string {
  const paths = files.map(({ path }) => store.address(path))
  const rows = files.reduce((sum, file) => sum + file.rows, 0)
  return shownQuery(table, parquetQuery(table, paths, rows))
}
