import { sqlName, sqlText } from '../lib/text/sql-quote.ts'
import { duckdbType } from './duckdb-type.ts'
import { fieldsOf, type Table } from './table.ts'

/**
 * DuckDB's call that reads Parquet files of a table. DuckDB finds the columns by field id; a column that an older file does not have reads
 * as null. DuckDB does not count rows when it gets a schema. Without `rows` it would plan joins as if the table were empty.
 */
export function parquetQuery(table: Table, paths: readonly string[], rows: number): string {
  const schema = fieldsOf(table).map(
    ({ id, name, column }) =>
      `  ${id}: {name: ${sqlText(name)}, type: ${sqlText(duckdbType(column.type))}, default_value: NULL}`,
  )
  const separator = separators.find((each) => !paths.some((path) => path.includes(each))) ?? '\n'
  return [
    `read_parquet(CASE WHEN ${isTooOld} THEN error(${tooOld}) ELSE string_split(`,
    sqlText(paths.map(literalPath).join(separator)),
    `, chr(${separator.charCodeAt(0)})) END, schema = MAP {`,
    schema.join(',\n'),
    `}, hive_partitioning = false, explicit_cardinality = ${rows})`,
  ].join('\n')
}

/**
 * DuckDB before 1.2.0 reads lists and columns that an older file does not have as null, without an error. DuckDB evaluates the paths when
 * it plans a query: an old version refuses every query on a view, also one without rows, and the plans of later versions do not have the check.
 */
const isTooOld = "regexp_matches(version(), '^v(0\\.[1-9]|1\\.[01]\\.)')"
const tooOld = "'The views of a chainlake lake need DuckDB 1.2.0 or later, this is ' || version() || '.'"

/**
 * The paths are one text, not a list of texts: DuckDB keeps 3 KB for each item of a list, in many copies while it creates a view with its
 * comments. The text has one path per line, unless the folder of a lake has a line feed in its name.
 */
const separators = ['\n', '\t', '\v', '\f']

/** The paths that such calls in an SQL text read, also in the text of a view as DuckDB writes it. */
export function parquetQueryPaths(sql: string): string[] {
  return [...sql.matchAll(/string_split\(\s*'((?:[^']|'')*)',\s*chr\((\d+)\)/g)].flatMap(([, paths = '', separator]) =>
    paths
      .replaceAll("''", "'")
      .split(String.fromCharCode(Number(separator)))
      .map(plainPath),
  )
}

/** A query that gives typed columns and no rows, for a table without files. */
export function emptyQuery(table: Table): string {
  const fields = fieldsOf(table).map(
    ({ name, column }) => `CAST(NULL AS ${duckdbType(column.type)}) AS ${sqlName(name)}`,
  )
  return `SELECT ${fields.join(',\n  ')}\nWHERE false`
}

/** A path with its glob characters escaped, so that DuckDB reads it literally. */
function literalPath(path: string): string {
  return path.replace(/[*?[]/g, '[$&]')
}

function plainPath(literal: string): string {
  return literal.replace(/\[([*?[])\]/g, '$1')
}
