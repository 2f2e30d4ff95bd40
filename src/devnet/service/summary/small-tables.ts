import { chainCount } from '../chains/routes.ts'
import type { EvmLedger } from '../evm/state.ts'
import type { Totals } from '../plumbing/totals.ts'
import type { L1Messages } from '../signatures/l1-messages.ts'
import { averageTps } from '../tps/series.ts'

/** Number of chains of the primary network, each of them a row of `chains`. */
const primaryChains = 3

/**
 * Totals of small tables: chains, raw containers, the EVM chains, the days of the TPS series, and one signed message for each P-Chain
 * transaction that has one.
 */
export async function smallTotals(
  containers: number,
  evm: EvmLedger,
  messages: () => Promise<L1Messages>,
): Promise<Totals> {
  const { blocks } = await evm.atHead()
  return {
    chains: { rows: primaryChains, sums: {} },
    containers: { rows: containers, sums: {} },
    rest_evm_chains: { rows: chainCount, sums: {} },
    metrics_chain_tps: { rows: averageTps(blocks).length, sums: {} },
    rest_signed_messages: { rows: saying(await messages()).length, sums: {} },
  }
}

/** Transactions with a message about an L1, in chain order. */
export function saying(messages: L1Messages): string[] {
  return [...messages].flatMap(([txId, message]) => (message === null ? [] : [txId]))
}
