import type { FxOrder } from '../../codec/x/fxs.ts'
import { type Facts, theNode } from '../../src/define/index.ts'

/**
 * The feature extensions of another chain of the asset VM, named by its id, as its CreateChainTx lists them; null for P, X and C, since their
 * types are fixed.
 * Throws `ConfigError` when the node does not know the chain.
 */
export async function askFxs(chain: string, facts: Pick<Facts, 'ask'>): Promise<FxOrder | null> {
  if (/^[PXC]$/.test(chain)) return null
  return facts.ask(theNode, async (connection, signal) => {
    const { readChainFxs } = await import('../../src/sources/chain-fxs.ts')
    return readChainFxs(connection, chain, signal)
  })
}
