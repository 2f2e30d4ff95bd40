import type { FxOrder } from '../../codec/x/fxs.ts'
import type { NetworkIdentity } from '../../src/define/index.ts'
import type { ChainContext } from '../../src/model.ts'
import { evmChainId } from '../../src/sources/known-networks.ts'

/** What decoders need about a chain. `chain` is an alias (`P`, `X`, `C`) or a blockchain id; `fxs` are the feature extensions of a chain named by its id. */
export function chainContext(identity: NetworkIdentity, chain: string, fxs: FxOrder | null): ChainContext {
  const known = identity.chains.find(({ alias }) => alias === chain)
  return {
    network: identity.network,
    networkId: identity.networkId,
    hrp: identity.hrp,
    chain,
    blockchainId: known?.blockchainId ?? chain,
    evmChainId: chain === 'C' ? evmChainId(identity.networkId) : null,
    // Another chain of the asset VM charges fees in an asset of its own genesis, which is in no index.
    nativeAssetId: known === undefined ? null : identity.nativeAssetId,
    durangoTime: identity.durangoTime,
    fxs,
  }
}
