import { type IndexPath, indexPaths } from '../../network/network.ts'
import { evmTotals } from '../evm/totals.ts'
import type { Ledgers, ServiceSource } from '../ledgers.ts'
import type { PrimarySummary } from '../primary/counts/summary.ts'
import { cBlockTotals } from './c-blocks.ts'
import { smallTotals } from './small-tables.ts'
import { type Summary, summaryOf } from './totals.ts'

/**
 * Counts what the tables of the lake hold of a network at its head, out of the ledgers. Tables of observations are counted as
 * their `_latest` views show them: one observation of everything that there is, as `examples/devnet.yaml` asks for it.
 */
export function summaryAt(
  { stores }: ServiceSource,
  { evm, messages }: Ledgers,
  primary: () => Promise<PrimarySummary>,
): () => Promise<Summary> {
  const cBlocks = cBlockTotals(stores['C/block'])
  return async () => {
    const heads = Object.fromEntries(indexPaths.map((path: IndexPath) => [path, stores[path].count()]))
    const { tables } = await primary()
    const evmTables = evmTotals(await evm.atHead())
    // Of the P chain alone the example keeps the bytes.
    const small = await smallTotals(stores['P/block'].count(), evm, messages)
    return summaryOf(heads, { ...tables, ...(await cBlocks()), ...evmTables, ...small })
  }
}
