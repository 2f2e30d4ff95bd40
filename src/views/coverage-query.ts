import { sqlText } from '../lib/text/sql-quote.ts'
import type { ReadRange } from '../model.ts'

/**
 * The query of the view `coverage` that shows at least one range. All ranges are one text, because for a list of rows DuckDB takes 9 KB per
 * row and 100 times as long to answer a query: a lake may have ranges of many thousand wallets.
 */
export function coverageQuery(ranges: readonly ReadRange[]): string {
  const rows = ranges.map(fieldsOf)
  const [field, line] = separatorsFor(rows)
  return `SELECT
  part[1] AS network,
  part[2] AS stream,
  part[3] AS table_name,
  part[4] AS unit,
  nullif(part[5], '')::BIGINT AS slice_from,
  nullif(part[6], '')::BIGINT AS slice_to,
  part[7]::BIGINT AS row_count,
  make_timestamptz(nullif(part[8], '')::BIGINT) AS committed_at
FROM (
  SELECT string_split(line, chr(${field.charCodeAt(0)})) AS part
  FROM (SELECT unnest(string_split(${sqlText(rows.map((row) => row.join(field)).join(line))}, chr(${line.charCodeAt(0)}))) AS line)
)`
}

function fieldsOf({ network, stream, table, unit, slice, rows, committedMicros }: ReadRange): string[] {
  const numbers = [slice?.from, slice?.to, rows, committedMicros]
  return [network, stream, table, unit, ...numbers.map((value) => String(value ?? ''))]
}

/** Control characters that no text has. Values of jobs in the name of a stream may have some. */
function separatorsFor(rows: readonly (readonly string[])[]): [field: string, line: string] {
  const isFree = (separator: string) => !rows.some((row) => row.some((text) => text.includes(separator)))
  const [field = '\t', line = '\n'] = ['\t', '\n', '\x1f', '\x1e', '\x1d', '\x1c', '\x07', '\x06'].filter(isFree)
  return [field, line]
}
