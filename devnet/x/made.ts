import type { XState as XOutput } from '../../codec/x.ts'
import { type CoinDraft, ownerFields, plainOutputOf, type Wallet } from '../utxo/coins.ts'
import { addCoin } from '../utxo/funding.ts'
import { keepRight, type Right } from './rights.ts'
import type { XState } from './state.ts'

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
