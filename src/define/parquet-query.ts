import { sqlName, sqlText } from '../lib/sql-quote.ts'
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
  return [
    'read_parquet([',
    paths.map((path) => sqlText(literalPath(path))).join(',\n'),
    '], schema = MAP {',
    schema.join(',\n'),
    `}, hive_partitioning = false, explicit_cardinality = ${rows})`,
  ].join('\n')
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
