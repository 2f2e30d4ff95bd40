import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api'
import type { Columns, Table } from '../define/index.ts'
import { queryChunks } from '../lib/answer-chunks.ts'
import { sqlName } from '../lib/text/sql-quote.ts'
import { valueReader } from './row-values.ts'

/**
 * Rows with the columns of the table, in batches of some thousands. `from` is what follows the select list of the query; `replaced` has SQL
 * expressions instead of columns, by their names.
 *
 * The texts of a row come as one JSON array. Each text that crosses from DuckDB to JavaScript costs an ArrayBuffer, and half of the columns
 * are texts. Those of a row with long texts come one by one, because DuckDB takes several times their memory to make JSON of them.
 */
export async function* tableRows(
  connection: DuckDBConnection,
  table: Table,
  from: string,
  replaced: Readonly<Record<string, string>> = {},
): AsyncGenerator<object[]> {
  const columns = columnsOf(table)
  const expressions = (isText: boolean) =>
    columns.filter(({ packed }) => (packed !== -1) === isText).map(({ name }) => replaced[name] ?? sqlName(name))
  const texts = expressions(true)
  const bytes = ['0', ...texts.map((text) => `coalesce(strlen(${text}), 0)`)].join(' + ')
  const selected = [
    `CASE WHEN ${bytes} <= ${mostPacked} THEN json_array(${texts.join(', ')}) END`,
    ...texts.map((text) => `CASE WHEN ${bytes} > ${mostPacked} THEN ${text} END`),
    ...expressions(false),
  ].join(', ')
  for await (const chunk of queryChunks(connection, `SELECT ${selected} ${from}`)) yield rowsOf(chunk, columns)
}

/** Most bytes of texts of a row that come as JSON. The memory of DuckDB holds some thousand rows. */
const mostPacked = 2_048

type ReadColumn = {
  readonly name: string
  /** In the JSON of texts; of the other columns, -1. */
  readonly packed: number
  /** The number of its column in the query. Column 0 is the JSON of texts. */
  readonly position: number
  readonly read: (value: unknown) => unknown
}

function columnsOf({ columns }: Table): ReadColumn[] {
  const all = Object.entries(columns as Columns)
  const isText = ([, { type }]: (typeof all)[number]) => type.kind === 'text'
  const ordered = [...all.filter(isText), ...all.filter((column) => !isText(column))]
  return all.map((column) => {
    const [name, { type }] = column
    const at = ordered.indexOf(column)
    return { name, packed: isText(column) ? at : -1, position: at + 1, read: valueReader(type) }
  })
}

function rowsOf(chunk: DuckDBDataChunk, columns: readonly ReadColumn[]): object[] {
  const json = chunk.getColumnVector(0)
  const texts = Array.from({ length: chunk.rowCount }, (_, at) => {
    const packed = json.getItem(at) as string | null
    return packed === null ? null : (JSON.parse(packed) as unknown[])
  })
  const rows: Record<string, unknown>[] = texts.map(() => ({}))
  for (const { name, packed, position, read } of columns) {
    const vector = chunk.getColumnVector(position)
    for (const [at, row] of rows.entries()) {
      const some = packed === -1 ? null : texts[at]
      row[name] = some ? some[packed] : read(vector.getItem(at))
    }
  }
  return rows
}
