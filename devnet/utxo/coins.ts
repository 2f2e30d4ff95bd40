import type { Holder } from '../network/holders.ts'

/** An unspent output that a wallet can sign for. */
export type Coin = {
  readonly txId: Uint8Array
  readonly index: number
  readonly asset: Uint8Array
  readonly amount: bigint
  readonly wallet: Wallet
  /** Unix seconds before which the owner cannot sign; 0 means no lock. */
  readonly locktime: number
  /** Unix seconds before which the coin can only be staked, on the P-Chain; 0 means a plain coin. */
  readonly stakeableLocktime: number
}

/** A coin without the id and index that it gets from its transaction. */
export type CoinDraft = Omit<Coin, 'txId' | 'index'>

/** The coins of a holder on one chain. */
export type Wallet = Holder & {
  /** Plain coins of the native asset. */
  readonly coins: Coin[]
  /** Stakeable locked coins of the native asset. */
  readonly locked: Coin[]
  /** Coins of other assets. */
  readonly foreign: Coin[]
}

export function createWallet(holder: Holder): Wallet {
  return { ...holder, coins: [], locked: [], foreign: [] }
}

/** Indexes of the addresses that sign: the first ones, as many as the threshold requires. */
export function signersOf({ threshold }: Holder): number[] {
  return Array.from({ length: threshold }, (_, index) => index)
}

/** A holder as the owner of an output. */
export function ownerFields({ threshold, addresses }: Holder, locktime = 0) {
  return { locktime: BigInt(locktime), threshold, addresses }
}

/** The output of a draft, without a stakeable lock. */
export function plainOutputOf(draft: CoinDraft) {
  const output = {
    type: 'secp256k1fx.TransferOutput' as const,
    amount: draft.amount,
    ...ownerFields(draft.wallet, draft.locktime),
  }
  return { assetID: draft.asset, output }
}

type Spent = Pick<Coin, 'txId' | 'index' | 'asset' | 'amount'> & { readonly wallet: Holder }

/** The input that spends a coin, without a stakeable lock. */
export function plainInputOf({ txId, index, asset, amount, wallet }: Spent) {
  const input = { type: 'secp256k1fx.TransferInput' as const, amount, signatureIndices: signersOf(wallet) }
  return { txID: txId, outputIndex: index, assetID: asset, input }
}

/** The order of inputs that a node requires: by transaction, then by index. */
export function compareCoins(a: Pick<Coin, 'txId' | 'index'>, b: Pick<Coin, 'txId' | 'index'>): number {
  return Buffer.compare(a.txId, b.txId) || a.index - b.index
}

/** The order of outputs: by asset, then plain ones before locked ones, then by amount. */
export function compareDrafts(a: CoinDraft, b: CoinDraft): number {
  const byAsset = a.asset === b.asset ? 0 : Buffer.compare(a.asset, b.asset)
  if (byAsset !== 0) return byAsset
  if (a.stakeableLocktime !== b.stakeableLocktime) return a.stakeableLocktime - b.stakeableLocktime
  return a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0
}

export function sumOf(coins: readonly { readonly amount: bigint }[]): bigint {
  return coins.reduce((sum, { amount }) => sum + amount, 0n)
}
