import { genesisTime } from '../network/eras.ts'
import { nativeAsset } from '../network/genesis.ts'
import { createTimeQueue } from '../network/heap.ts'
import type { NetworkState } from '../network/state.ts'
import { createWallet } from '../utxo/coins.ts'
import type { UtxoState } from '../utxo/state.ts'
import { type AssetChain, xChain } from './asset-chain.ts'
import type { Rights } from './rights.ts'

/** Everything that the next X-Chain block depends on. */
export type XState = UtxoState & { readonly chain: AssetChain; readonly rights: Rights }

const coinsPerWallet = 4
/** One million AVAX, in nAVAX. */
const genesisAmount = 1_000_000_000_000_000n

/**
 * Creates the state with the coins of the genesis. They are outputs of the transaction that created the native asset, so its id is the
 * asset's id.
 */
export function createXState(network: NetworkState, chain: AssetChain = xChain): XState {
  const wallets = network.holders.map(createWallet)
  const plain = { txId: nativeAsset, asset: nativeAsset, amount: genesisAmount, locktime: 0, stakeableLocktime: 0 }
  for (const wallet of wallets) {
    const first = wallet.position * coinsPerWallet
    for (let k = 0; k < coinsPerWallet; k += 1) wallet.coins.push({ ...plain, index: first + k, wallet })
  }
  const rights = { mint: [], nftMint: [], nft: [], propertyMint: [], property: [] }
  return { network, chain, wallets, maturing: createTimeQueue(), chainTime: genesisTime, rights }
}
