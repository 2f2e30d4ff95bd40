import { sqlText } from '../lib/text/sql-quote.ts'
import type { ReadRange } from '../model.ts'

/** The query of the view `coverage` that shows at least one range. */
export function coverageQuery(ranges: readonly ReadRange[]): string {
  return `SELECT
  network,
  stream,
  table_name,
  unit,
  slice_from::BIGINT AS slice_from,
  slice_to::BIGINT AS slice_to,
  row_count::BIGINT AS row_count,
  make_timestamptz(committed_us::BIGINT) AS committed_at
FROM (VALUES
${ranges.map(valuesOf).join(',\n')}
) AS range(network, stream, table_name, unit, slice_from, slice_to, row_count, committed_us)`
}

function valuesOf(range: ReadRange): string {
  const texts = [range.network, range.stream, range.table, range.unit].map(sqlText)
  const numbers = [range.slice?.from, range.slice?.to, range.rows, range.committedMicros]
  return `  (${[...texts, ...numbers.map((value) => value ?? 'NULL')].join(', ')})`
}
