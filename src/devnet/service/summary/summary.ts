import { type IndexPath, indexPaths } from '../../network/network.ts'
import type { Ledgers, ServiceSource } from '../ledgers.ts'
import { cBlockTotals } from './c-blocks.ts'
import { smallTotals } from './small-tables.ts'
import { type Summary, summaryOf, type Totals } from './totals.ts'

/**
 * Counts what the tables of the lake hold of a network at its head, out of the ledgers. Tables of observations are counted as
 * their `_latest` views show them: one observation of everything that there is, as `examples/devnet.yaml` asks for it.
 */
export function summaryAt({ stores }: ServiceSource, { primary, evm, messages }: Ledgers): () => Promise<Summary> {
  const cBlocks = cBlockTotals(stores['C/block'])
  return async () => {
    const heads = Object.fromEntries(indexPaths.map((path: IndexPath) => [path, stores[path].count()]))
    const state = await primary.state()
    const totals: Totals = {
      ...Object.fromEntries(state.tally.tables),
      ...(await cBlocks()),
      ...(await smallTotals(evm, messages)),
    }
    return summaryOf(heads, totals)
  }
}
