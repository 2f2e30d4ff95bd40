import { evmLogs } from '../../../schemas/evm-logs.ts'
import type { CoverageRow } from '../../catalog/catalog.ts'
import { sqlText } from '../../lib/text/sql-quote.ts'
import type { Stream } from '../../model.ts'
import type { LogFilter } from '../../sources/log-filter.ts'
import type { LakeRows } from '../lake/lake-rows.ts'

/** The filter of a stream of evm-logs. */
export function filterOf({ parameters }: Stream): LogFilter {
  const lists = ['contracts', 'topics', 'secondTopics', 'thirdTopics', 'fourthTopics']
  const [contracts = [], ...topics] = lists.map((name) => [parameters[name] ?? []].flat())
  // An empty list at the end would ask for logs with that many topics.
  while (topics.at(-1)?.length === 0) topics.pop()
  return { contracts, topics }
}

/** An SQL condition for the logs that pass the filter of a stream. */
export function conditionOf(stream: Stream): string {
  const { contracts, topics } = filterOf(stream)
  const lists = [['address', contracts] as const, ...topics.map((each, at) => [`topic${at}`, each] as const)]
  const conditions = lists.flatMap(([column, values]) =>
    values.length === 0 ? [] : [`${column} IN (${values.map(sqlText).join(', ')})`],
  )
  return conditions.join(' AND ') || 'true'
}

/** Some of the blocks of a stream with logs in the lake, the same at each call. */
export async function placesWithRows(rows: LakeRows, row: CoverageRow, most: number): Promise<number[]> {
  const { from, to } = row.slice
  if (most === 0 || rows.torn(evmLogs)) return []
  const files = await rows.filesBetween(evmLogs, 'block_number', { from, to: to - 1 })
  const found = await rows.engine.rows(
    `SELECT block_number::VARCHAR AS n FROM (SELECT DISTINCT block_number FROM ${rows.relation(evmLogs, files)}
       WHERE network = ${sqlText(row.network)} AND chain_id = ${sqlText(row.origin.chain ?? '')} AND block_number >= ${from} AND block_number < ${to}
         AND ${conditionOf(row.origin)})
     ORDER BY hash(block_number) LIMIT ${most}`,
  )
  return found.map(({ n }) => Number(n))
}
