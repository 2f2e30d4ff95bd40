import { isAbsolute, resolve } from 'node:path'
import { type Columns, duckdbType, fieldsOf, type Table } from '../define/index.ts'
import { sqlName, sqlText } from '../lib/sql-quote.ts'
import { viewScript } from './view-script.ts'

/** A Parquet file of a table: its path, absolute or from the lake's folder, and its number of rows. */
export type TableFile = { readonly path: string; readonly rows: number }

/**
 * The script of a table's view. Files are listed one by one, by absolute path, and their columns are found by field id: a
 * column that an older file lacks reads as null. Without files the view is empty, with the same types.
 */
export function tableViewScript(table: Table, lakeDir: string, files: readonly TableFile[]): string {
  return viewScript({
    name: table.name,
    query: files.length === 0 ? emptyQuery(table) : filesQuery(table, lakeDir, files),
    comment: `${table.comment} Key: ${table.key.join(', ')}.`,
    columns: table.columns,
  })
}

function emptyQuery(table: Table): string {
  const fields = Object.entries(table.columns as Columns).map(
    ([name, { type }]) => `CAST(NULL AS ${duckdbType(type)}) AS ${sqlName(name)}`,
  )
  return `SELECT ${fields.join(',\n  ')}\nWHERE false`
}

/** With a schema given, DuckDB does not count rows: without a number of ours it plans joins as if the table were empty. */
function filesQuery(table: Table, lakeDir: string, files: readonly TableFile[]): string {
  const paths = files.map(({ path }) => sqlText(literalPath(isAbsolute(path) ? path : resolve(lakeDir, path))))
  const schema = fieldsOf(table).map(
    ({ id, name, column }) =>
      `  ${id}: {name: ${sqlText(name)}, type: ${sqlText(duckdbType(column.type))}, default_value: NULL}`,
  )
  const rows = files.reduce((sum, file) => sum + file.rows, 0)
  return [
    'SELECT * FROM read_parquet([',
    paths.join(',\n'),
    '], schema = MAP {',
    schema.join(',\n'),
    `}, hive_partitioning = false, explicit_cardinality = ${rows})`,
  ].join('\n')
}

/** A path in which DuckDB takes nothing for a pattern. */
function literalPath(path: string): string {
  return path.replace(/[*?[]/g, '[$&]')
}
