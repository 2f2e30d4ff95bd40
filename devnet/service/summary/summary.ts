import { isDeepStrictEqual } from 'node:util'
import { type IndexPath, indexPaths } from '../../chains/network.ts'
import type { Ledgers, ServiceSource } from '../ledgers/ledgers.ts'
import { type Summary, summaryOf, type Totals } from '../plumbing/totals.ts'
import type { PrimarySummary } from '../primary/counts/summary.ts'
import { cBlockTotals } from './c-blocks.ts'
import { evmBlockTotals } from './evm-blocks.ts'
import { nodeTotals } from './node-tables.ts'
import { stateTotals } from './state-tables.ts'

/**
 * Computes from the ledgers the expected totals of the lake's tables at the head of a network. Tables of observations are counted as in
 * their `_latest` views: one observation of everything that exists, as `examples/devnet.yaml` requests it.
 */
export function summaryAt(
  { stores }: ServiceSource,
  { evm, primary: ledger }: Ledgers,
  primary: () => Promise<PrimarySummary>,
  ofRoutes: () => Promise<Totals>,
): () => Promise<Summary> {
  const cBlocks = cBlockTotals(stores['C/block'])
  const headsNow = () => Object.fromEntries(indexPaths.map((path: IndexPath) => [path, stores[path].count()]))
  const count = async (): Promise<Totals> => {
    const inContainers = await cBlocks()
    return {
      // The chains of the primary network. The example stores the bytes of P-Chain containers only.
      chains: { rows: 3, sums: {} },
      containers: { rows: stores['P/block'].count(), sums: {} },
      ...(await primary()).tables,
      ...nodeTotals(await ledger.state()),
      ...inContainers,
      ...evmBlockTotals(await evm.atHead(), inContainers['c_transactions']!),
      ...stateTotals(await evm.atHead()),
      ...(await ofRoutes()),
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
