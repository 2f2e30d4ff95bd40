import type { NetworkState } from '../network/state.ts'
import type { Wallet } from '../utxo/coins.ts'
import { takeAt } from '../utxo/funding.ts'

/** An unspent output that is not a coin: a right to mint, a token or a property. */
export type Right = {
  readonly txId: Uint8Array
  readonly index: number
  readonly asset: Uint8Array
  readonly wallet: Wallet
  /** Group and payload of NFTs; 0 and empty for other rights. */
  readonly groupID: number
  readonly payload: Uint8Array
}

/** Rights by the operation that can spend them, unordered. */
export type Rights = { readonly [sort in 'mint' | 'nftMint' | 'nft' | 'propertyMint' | 'property']: Right[] }

type RightsState = { readonly network: NetworkState; readonly rights: Rights }

const mostRights = 256

/** Tracks a right. If there are too many of its sort, another one is no longer tracked and is never spent. */
export function keepRight({ network, rights }: RightsState, sort: keyof Rights, right: Right): void {
  const list = rights[sort]
  if (list.length >= mostRights) takeAt(list, network.random.below(mostRights))
  list.push(right)
}
