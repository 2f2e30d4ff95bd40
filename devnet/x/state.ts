import { blockTypeId, type FxOrder, primaryFxs } from '../../codec/fxs.ts'
import { type XCodec, type XState as XOutput, xCodec } from '../../codec/x.ts'
import { chainIds, genesisTime, nativeAsset } from '../network/genesis.ts'
import { createTimeQueue } from '../network/heap.ts'
import type { NetworkState } from '../network/state.ts'
import {
  addCoin,
  type CoinDraft,
  createWallet,
  ownerFields,
  plainOutputOf,
  takeAt,
  type UtxoState,
  type Wallet,
} from '../network/wallets.ts'

/** A chain of the asset VM: the facts that its bytes depend on. */
export type AssetChain = {
  readonly id: Uint8Array
  readonly fxs: FxOrder
  readonly codec: XCodec
  /** Type id of its blocks. */
  readonly blockType: number
  /** Whether it exchanges assets with other chains. */
  readonly isShared: boolean
}

/** The X-Chain of the primary network. */
export const xChain: AssetChain = {
  id: chainIds.X,
  fxs: primaryFxs,
  codec: xCodec(null),
  blockType: blockTypeId(primaryFxs),
  isShared: true,
}

/** A chain of a subnet. It has no imports from other chains and no exports to them. */
export function assetChain(id: Uint8Array, fxs: FxOrder): AssetChain {
  return { id, fxs, codec: xCodec(fxs), blockType: blockTypeId(fxs), isShared: false }
}

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
function keepRight({ network, rights }: RightsState, sort: keyof Rights, right: Right): void {
  const list = rights[sort]
  if (list.length >= mostRights) takeAt(list, network.random.below(mostRights))
  list.push(right)
}

/** An output of a new asset or an operation, and `keep`, which adds it to the state. */
export type Made = {
  readonly output: XOutput
  readonly keep: (place: Pick<Right, 'txId' | 'index' | 'asset'>) => void
}

export function madeCoin(state: XState, draft: Omit<CoinDraft, 'asset'>): Made {
  return {
    output: plainOutputOf({ ...draft, asset: nothing }).output,
    keep: (place) => addCoin(state, { ...draft, ...place }),
  }
}

const nothing = new Uint8Array()
const plain = { groupID: 0, payload: nothing }

const types = {
  mint: 'secp256k1fx.MintOutput',
  propertyMint: 'propertyfx.MintOutput',
  property: 'propertyfx.OwnedOutput',
} as const

export function madeRight(state: XState, sort: keyof typeof types, wallet: Wallet): Made {
  return {
    output: { type: types[sort], ...ownerFields(wallet) },
    keep: (place) => keepRight(state, sort, { ...place, ...plain, wallet }),
  }
}

export function madeNftMint(state: XState, wallet: Wallet, groupID: number): Made {
  return {
    output: { type: 'nftfx.MintOutput', groupID, ...ownerFields(wallet) },
    keep: (place) => keepRight(state, 'nftMint', { ...place, wallet, groupID, payload: nothing }),
  }
}

export function madeNft(state: XState, wallet: Wallet, token: Pick<Right, 'groupID' | 'payload'>): Made {
  const { groupID, payload } = token
  return {
    output: { type: 'nftfx.TransferOutput', groupID, payload, ...ownerFields(wallet) },
    keep: (place) => keepRight(state, 'nft', { ...place, wallet, groupID, payload }),
  }
}

/** Adds consecutive outputs to the state, with indexes from `firstIndex` on. */
export function keepAll(keeps: readonly Made['keep'][], txId: Uint8Array, asset: Uint8Array, firstIndex: number): void {
  keeps.forEach((keep, at) => {
    keep({ txId, asset, index: firstIndex + at })
  })
}
