import { emptyQuery, parquetQuery, type Table } from '../define/index.ts'
import type { Store } from '../store/store.ts'
import { createScript, viewScript } from './view-script.ts'

/** A Parquet file of a table: its path relative to the lake, and its number of rows. */
export type TableFile = { readonly path: string; readonly rows: number }

type Addresses = Pick<Store, 'address'>

/**
 * The script of a table's view. Files are listed one by one, by their addresses, and their columns are found by field id: a
 * column that an older file lacks reads as null. Without files the view is empty, with the same types.
 */
export function tableViewScript(table: Table, store: Addresses, files: readonly TableFile[]): string {
  return files.length === 0 ? commentedEmptyTableScript(table) : commented(table, filesQuery(table, store, files))
}

/**
 * Creates views over files that are out of reach here, such as those of a bucket: instead of DuckDB's reader of Parquet a macro says what the columns
 * are. It ends with the connection, and the view reads the files then.
 */
export function unreachedScript(table: Table, script: string): string {
  return `CREATE OR REPLACE TEMP MACRO read_parquet(paths, schema := NULL, hive_partitioning := NULL, explicit_cardinality := NULL)
    AS TABLE ${emptyQuery(table)};
${script}`
}

/** The view without files. */
export function commentedEmptyTableScript(table: Table): string {
  return commented(table, emptyQuery(table))
}

function commented(table: Table, query: string): string {
  const comment = `${table.comment} Key: ${table.key.join(', ')}.`
  return viewScript({ name: table.name, query, comment, columns: table.columns })
}

/** The same without comments, for as long as views over it are made. */
export function emptyTableScript(table: Table): string {
  return createScript(table.name, emptyQuery(table))
}

function filesQuery(table: Table, store: Addresses, files: readonly TableFile[]): string {
  const paths = files.map(({ path }) => store.address(path))
  const rows = files.reduce((sum, file) => sum + file.rows, 0)
  return `SELECT * FROM ${parquetQuery(table, paths, rows)}`
}
