import type { Holder } from '../network/holders.ts'

/** An unspent output that a wallet can sign for. */
export type Coin = {
  readonly txId: Uint8Array
  readonly index: number
  readonly asset: Uint8Array
  readonly amount: bigint
  readonly wallet: Wallet
  /** Until then (Unix seconds) the owner cannot sign; 0 is always. */
  readonly locktime: number
  /** Until then the coin can only be staked, on the P chain; 0 is a plain coin. */
  readonly stakeableLocktime: number
}

/** What becomes a coin once its transaction has an id. */
export type CoinDraft = Omit<Coin, 'txId' | 'index'>

/** What a holder has on one chain. */
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

/** Which addresses sign: the first ones, as many as are needed. */
export function signersOf({ threshold }: Holder): number[] {
  return Array.from({ length: threshold }, (_, index) => index)
}

/** The owner that a holder is, in outputs. */
export function ownerFields({ threshold, addresses }: Holder, locktime = 0) {
  return { locktime: BigInt(locktime), threshold, addresses }
}

/** The output that a draft is, without a stakeable lock. */
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

/** The order in which a node wants inputs: by transaction, then by index. */
export function compareCoins(a: Pick<Coin, 'txId' | 'index'>, b: Pick<Coin, 'txId' | 'index'>): number {
  return Buffer.compare(a.txId, b.txId) || a.index - b.index
}

/** The order in which outputs stand: by asset, plain ones before locked ones, then by amount. */
export function compareDrafts(a: CoinDraft, b: CoinDraft): number {
  const byAsset = a.asset === b.asset ? 0 : Buffer.compare(a.asset, b.asset)
  if (byAsset !== 0) return byAsset
  if (a.stakeableLocktime !== b.stakeableLocktime) return a.stakeableLocktime - b.stakeableLocktime
  return a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0
}

export function sumOf(coins: readonly { readonly amount: bigint }[]): bigint {
  return coins.reduce((sum, { amount }) => sum + amount, 0n)
}
