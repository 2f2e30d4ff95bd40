import { isDeepStrictEqual } from 'node:util'
import { type IndexPath, indexPaths } from '../../chains/network.ts'
import { evmTotals } from '../evm/totals.ts'
import type { Ledgers, ServiceSource } from '../ledgers/ledgers.ts'
import { type Summary, summaryOf, type Totals } from '../plumbing/totals.ts'
import type { PrimarySummary } from '../primary/counts/summary.ts'
import { cBlockTotals } from './c-blocks.ts'
import { evmBlockTotals } from './evm-blocks.ts'
import { nodeTotals } from './node-tables.ts'
import { smallTotals } from './small-tables.ts'

/**
 * Computes from the ledgers the expected totals of the lake's tables at the head of a network. Tables of observations are counted as in
 * their `_latest` views: one observation of everything that exists, as `examples/devnet.yaml` requests it.
 */
export function summaryAt(
  { stores }: ServiceSource,
  { evm, messages, primary: ledger }: Ledgers,
  primary: () => Promise<PrimarySummary>,
): () => Promise<Summary> {
  const cBlocks = cBlockTotals(stores['C/block'])
  const headsNow = () => Object.fromEntries(indexPaths.map((path: IndexPath) => [path, stores[path].count()]))
  const count = async (): Promise<Totals> => {
    const inContainers = await cBlocks()
    const state = await evm.atHead()
    return {
      ...(await primary()).tables,
      ...nodeTotals(await ledger.state()),
      ...inContainers,
      ...evmTotals(state),
      ...evmBlockTotals(state, inContainers['c_transactions']!),
      // The example stores the bytes of P-Chain containers only.
      ...(await smallTotals(stores['P/block'].count(), evm, messages)),
    }
  }
  return async () => {
    let heads = headsNow()
    for (let tries = 1; ; tries += 1) {
      const totals = await count()
      const reached = headsNow()
      if (isDeepStrictEqual(heads, reached) || tries === mostTries) return summaryOf(reached, totals)
      heads = reached
    }
  }
}

/**
 * Maximum number of counts. If the head has moved meanwhile, the totals are counted again; if it moves every time, they mix several heads.
 */
const mostTries = 4
