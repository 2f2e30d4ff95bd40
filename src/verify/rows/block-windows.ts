import type { CoverageRow } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import { sqlText } from '../../lib/text/sql-quote.ts'
import type { Slice } from '../../model.ts'
import { type LakeRows, rowCount } from '../lake/lake-rows.ts'

/** Approximately how many rows of a table are in memory at once, and how many blocks are checked at once at most. */
const rowsAtOnce = 20_000
const mostBlocks = 50_000

/** Cuts a slice of EVM blocks into windows with few rows of each table. */
export function* blockWindows(rows: LakeRows, { from, to }: Slice, tables: readonly Table[]): Generator<Slice> {
  const most = Math.max(1, ...tables.map((table) => rowCount(rows.filesOf(table))))
  const width = Math.max(1, Math.min(mostBlocks, Math.floor(((to - from) * rowsAtOnce) / most)))
  for (let start = from; start < to; start += width) yield { from: start, to: Math.min(to, start + width) }
}

/** SQL condition for the rows of an EVM stream in the blocks from `from` to `to`, exclusive. */
export function inBlocks({ network, stream }: CoverageRow, from: number, to: number): string {
  const chain = /^[^/]*\/evm-(?:blocks|logs)\/([^?]+)/.exec(stream)?.[1] ?? ''
  return `network = ${sqlText(network)} AND chain_id = ${sqlText(chain)} AND block_number >= ${from} AND block_number < ${to}`
}
