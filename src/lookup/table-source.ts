import { emptyQuery, parquetQuery, type Table } from '../define/index.ts'
import type { Store } from '../store/store.ts'

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
