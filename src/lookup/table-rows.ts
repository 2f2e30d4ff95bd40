import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api'
import type { Columns, Table } from '../define/index.ts'
import { queryChunks } from '../lib/answer-chunks.ts'
import { sqlName } from '../lib/text/sql-quote.ts'
import { valueReader } from './row-values.ts'

/**
 * Rows with the columns of the table, in batches of some thousands. `from` is what follows the select list of the query.
 *
 * The texts of a row come as one JSON array. Each text that crosses from DuckDB to JavaScript costs an ArrayBuffer, and half of the columns
 * are texts. `replaced` has SQL expressions instead of columns, by their names.
 */
export async function* tableRows(
  connection: DuckDBConnection,
  table: Table,
  from: string,
  replaced: Readonly<Record<string, string>> = {},
): AsyncGenerator<object[]> {
  const columns = columnsOf(table)
  const list = (some: readonly ReadColumn[]) => some.map(({ name }) => replaced[name] ?? sqlName(name))
  const texts = `json_array(${list(columns.filter(({ isText }) => isText)).join(', ')})`
  const selected = [texts, ...list(columns.filter(({ isText }) => !isText))].join(', ')
  for await (const chunk of queryChunks(connection, `SELECT ${selected} ${from}`)) yield rowsOf(chunk, columns)
}

type ReadColumn = {
  readonly name: string
  readonly isText: boolean
  /** Among the texts, or among the other columns of the query, of which the texts are the first. */
  readonly position: number
  readonly read: (value: unknown) => unknown
}

function columnsOf({ columns }: Table): ReadColumn[] {
  let [texts, others] = [0, 1]
  return Object.entries(columns as Columns).map(([name, { type }]) => {
    const isText = type.kind === 'text'
    return { name, isText, position: isText ? texts++ : others++, read: valueReader(type) }
  })
}

function rowsOf(chunk: DuckDBDataChunk, columns: readonly ReadColumn[]): object[] {
  const packed = chunk.getColumnVector(0)
  const texts = Array.from({ length: chunk.rowCount }, (_, at) => JSON.parse(packed.getItem(at) as string) as unknown[])
  const rows: Record<string, unknown>[] = texts.map(() => ({}))
  for (const { name, isText, position, read } of columns) {
    const vector = chunk.getColumnVector(isText ? 0 : position)
    for (const [at, row] of rows.entries()) row[name] = isText ? texts[at]?.[position] : read(vector.getItem(at))
  }
  return rows
}
