import { evmLogs } from '../../../schemas/evm-logs.ts'
import type { CoverageRow } from '../../catalog/catalog.ts'
import { sqlText } from '../../lib/text/sql-quote.ts'
import type { LogFilter } from '../../sources/log-filter.ts'
import type { LakeRows } from '../lake/lake-rows.ts'

/** The name of a stream of evm-logs holds its filter, except for lists that are too long: it has only the first item of those. */

const topicLists = ['topics', 'secondTopics', 'thirdTopics', 'fourthTopics']

/** The filter of a stream, which passes more if a list is too long. */
export function filterOf(stream: string): LogFilter {
  const lists = listsOf(stream)
  const whole = (name: string): string[] => {
    const list = lists.get(name)
    return list === undefined || isShortened(list) ? [] : list.split(',')
  }
  const topics = topicLists.map(whole)
  // An empty list at the end would ask for logs with that many topics.
  while (topics.at(-1)?.length === 0) topics.pop()
  return { contracts: whole('contracts'), topics }
}

/** Whether the name of a stream holds its whole filter. */
export function isWhole(stream: string): boolean {
  return ![...listsOf(stream).values()].some(isShortened)
}

function listsOf(stream: string): Map<string, string> {
  const [, query = ''] = stream.split(/\?(.*)/s)
  return new Map(query.split('&').map((each) => [each.replace(/=.*/s, ''), each.replace(/^[^=]*=/, '')]))
}

function isShortened(list: string): boolean {
  return /[+…]/.test(list)
}

/** An SQL condition for the logs that pass the filter of a stream. */
export function conditionOf(stream: string): string {
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
  const chainId = row.stream.slice(row.network.length + 1).split(/[/?]/)[1] ?? ''
  const found = await rows.engine.rows(
    `SELECT block_number::VARCHAR AS n FROM (SELECT DISTINCT block_number FROM ${rows.relation(evmLogs, files)}
       WHERE network = ${sqlText(row.network)} AND chain_id = ${sqlText(chainId)} AND block_number >= ${from} AND block_number < ${to}
         AND ${conditionOf(row.stream)})
     ORDER BY hash(block_number) LIMIT ${most}`,
  )
  return found.map(({ n }) => Number(n))
}
