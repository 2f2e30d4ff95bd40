import { evmLogs } from '../../../schemas/evm-logs.ts'
import type { CoverageRow } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import { sqlText } from '../../lib/text/sql-quote.ts'
import type { Slice } from '../../model.ts'
import { subtract } from '../../plan/intervals.ts'
import { type LakeRows, rowCount } from '../lake/lake-rows.ts'
import { waitingFor } from '../lake/waiting.ts'

/** Approximately how many rows of a table are in memory at once, and how many blocks are checked at once at most. */
const rowsAtOnce = 20_000
const mostBlocks = 50_000

/** A slice of EVM blocks with few rows, and the coverage that it is part of. */
export type BlockWindow = Slice & { readonly row: CoverageRow }

/**
 * The blocks that both the table and the logs cover, in windows with few rows of each. After a repair removed logs, the rows that belong
 * to them stay: the next run reads the logs again.
 */
export function* windowsWithLogs(rows: LakeRows, table: Table): Generator<BlockWindow> {
  const waiting = waitingFor(rows.inventory, evmLogs, table)
  for (const row of rows.inventory.coverage) {
    if (row.table !== table.name) continue
    const without = waiting.find(({ stream }) => stream === row.stream)?.slices ?? []
    for (const slice of subtract([row.slice], without))
      for (const window of cutWindows(rows, slice, [evmLogs, table])) yield { ...window, row: { ...row, slice } }
  }
}

/** Cuts a slice of blocks into windows with few rows of tables. */
export function* cutWindows(rows: LakeRows, { from, to }: Slice, tables: readonly Table[]): Generator<Slice> {
  const most = Math.max(1, ...tables.map((table) => rowCount(rows.filesOf(table))))
  const width = Math.max(1, Math.min(mostBlocks, Math.floor(((to - from) * rowsAtOnce) / most)))
  for (let start = from; start < to; start += width) yield { from: start, to: Math.min(to, start + width) }
}

/** Blocks of an EVM chain. */
export type ChainBlocks = Slice & { readonly network: string; readonly chainId: string }

/** The blocks of a window. */
export function blocksOf({ row: { network, origin }, from, to }: BlockWindow): ChainBlocks {
  return { network, chainId: origin.chain ?? '', from, to }
}

/** SQL condition for the rows of blocks. */
export function inWindow({ network, chainId, from, to }: ChainBlocks): string {
  return `network = ${sqlText(network)} AND chain_id = ${sqlText(chainId)} AND block_number >= ${from} AND block_number < ${to}`
}
