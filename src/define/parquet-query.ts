import { sqlName, sqlText } from '../lib/text/sql-quote.ts'
import { duckdbType } from './duckdb-type.ts'
import { fieldsOf, type Table } from './table.ts'

/**
 * DuckDB's call that reads Parquet files of a table. Their columns are found by field id: a column that an older file lacks reads as null.
 * With a schema given, DuckDB does not count rows: without `rows` it would plan joins as if the table were empty.
 */
export function parquetQuery(table: Table, paths: readonly string[], rows: number): string {
  const schema = fieldsOf(table).map(
    ({ id, name, column }) =>
      `  ${id}: {name: ${sqlText(name)}, type: ${sqlText(duckdbType(column.type))}, default_value: NULL}`,
  )
  const separator = separators.find((each) => !paths.some((path) => path.includes(each))) ?? '\n'
  return [
    'read_parquet(string_split(',
    sqlText(paths.map(literalPath).join(separator)),
    `, chr(${separator.charCodeAt(0)})), schema = MAP {`,
    schema.join(',\n'),
    `}, hive_partitioning = false, explicit_cardinality = ${rows})`,
  ].join('\n')
}

/**
 * Files are one text, not a list of texts: of a list DuckDB keeps 3 KB for each item, many times over while it makes a view with
 * its comments. A line each, unless the folder of a lake has a line feed in its name.
 */
const separators = ['\n', '\t', '\v', '\f']

/** The paths that such calls in a text read; also as DuckDB writes the text of a view. */
export function parquetQueryPaths(sql: string): string[] {
  return [...sql.matchAll(/string_split\(\s*'((?:[^']|'')*)',\s*chr\((\d+)\)/g)].flatMap(([, paths = '', separator]) =>
    paths
      .replaceAll("''", "'")
      .split(String.fromCharCode(Number(separator)))
      .map(plainPath),
  )
}

/** Typed columns of no rows: what a table without files reads as. */
export function emptyQuery(table: Table): string {
  const fields = fieldsOf(table).map(
    ({ name, column }) => `CAST(NULL AS ${duckdbType(column.type)}) AS ${sqlName(name)}`,
  )
  return `SELECT ${fields.join(',\n  ')}\nWHERE false`
}

/** A path in which DuckDB takes nothing for a pattern. */
function literalPath(path: string): string {
  return path.replace(/[*?[]/g, '[$&]')
}

function plainPath(literal: string): string {
  return literal.replace(/\[([*?[])\]/g, '$1')
}
