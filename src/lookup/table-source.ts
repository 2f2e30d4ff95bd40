import type { DuckDBConnection } from '@duckdb/node-api'
import { type Columns, emptyQuery, parquetQuery, type Table } from '../define/index.ts'
import { queryChunks } from '../lib/answer-chunks.ts'
import { sqlName } from '../lib/text/sql-quote.ts'
import type { Store } from '../store/store.ts'
import { valueReader } from './row-values.ts'

/** Estimated rows per file for the query planner of DuckDB. It must exceed the number of keys of any query. */
const rowsOfFile = 1_000_000

/**
 * A query over the files of a table, in their order. It returns the columns of the table and `row_place`, which orders and identifies the rows.
 * Columns that are missing in a file are null.
 */
export function tableSource(store: Store, table: Table, files: readonly string[]): string {
  if (files.length === 0) return `(SELECT *, 0::BIGINT AS row_place FROM (${emptyQuery(table)}))`
  const paths = files.map((path) => store.url(path))
  const place = `(file_index::BIGINT << ${placeBits}) + file_row_number AS row_place`
  return `(SELECT *, ${place} FROM ${parquetQuery(table, paths, files.length * rowsOfFile)})`
}

/** Number of low bits in a place for the row number in its file. */
const placeBits = 40

/** The select list for the columns of a table, with some columns replaced by expressions. */
export function columnList(table: Table, replaced: Readonly<Record<string, string>> = {}): string {
  return Object.keys(table.columns)
    .map((name) => `${replaced[name] ?? sqlName(name)} AS ${sqlName(name)}`)
    .join(', ')
}

/** Rows of a query over the columns of the table, in batches of some thousands. */
export async function* tableRows(connection: DuckDBConnection, table: Table, sql: string): AsyncGenerator<object[]> {
  const columns = Object.entries(table.columns as Columns).map(([name, { type }]) => [name, valueReader(type)] as const)
  for await (const chunk of queryChunks(connection, sql)) {
    const rows: Record<string, unknown>[] = Array.from({ length: chunk.rowCount }, () => ({}))
    columns.forEach(([name, read], position) => {
      const vector = chunk.getColumnVector(position)
      for (const [index, row] of rows.entries()) row[name] = read(vector.getItem(index))
    })
    yield rows
  }
}
