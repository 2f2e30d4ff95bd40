import type { Owner, PInputValue, POutputValue } from '../../codec/p/parts.ts'

/** An unspent output that a wallet can sign for. */
export type Coin = {
  readonly txId: Uint8Array
  readonly index: number
  readonly asset: Uint8Array
  readonly amount: bigint
  readonly wallet: Wallet
  /** Until then (Unix seconds) the owner cannot sign; 0 is always. */
  readonly locktime: number
  /** Until then the coin can only be staked; 0 is a plain coin. */
  readonly stakeableLocktime: number
}

/** What becomes a coin once its transaction has an id. */
export type CoinDraft = Omit<Coin, 'txId' | 'index'>

export type Wallet = {
  readonly threshold: number
  readonly addresses: readonly Uint8Array[]
  /** Plain coins of the native asset. */
  readonly coins: Coin[]
  /** Stakeable locked coins of the native asset. */
  readonly locked: Coin[]
  /** Coins of other assets. */
  readonly foreign: Coin[]
}

/** The owner that a wallet is, in transactions. */
export function ownerOf(wallet: Wallet, locktime = 0): Owner {
  const { threshold, addresses } = wallet
  return { type: 'secp256k1fx.OutputOwners', locktime: BigInt(locktime), threshold, addresses }
}

/** Which addresses sign: the first ones, as many as are needed. */
export function signersOf(wallet: Wallet): number[] {
  return Array.from({ length: wallet.threshold }, (_, index) => index)
}

export function outputOf(draft: CoinDraft): POutputValue {
  const { threshold, addresses } = draft.wallet
  const plain = {
    type: 'secp256k1fx.TransferOutput' as const,
    amount: draft.amount,
    locktime: BigInt(draft.locktime),
    threshold,
    addresses,
  }
  if (draft.stakeableLocktime === 0) return { assetID: draft.asset, output: plain }
  const locktime = BigInt(draft.stakeableLocktime)
  return { assetID: draft.asset, output: { type: 'stakeable.LockOut', locktime, output: plain } }
}

/** The input that spends a coin; a stakeable lock that has passed is spent as a plain coin. */
export function inputOf(coin: Coin, now: number): PInputValue {
  const place = { txID: coin.txId, outputIndex: coin.index, assetID: coin.asset }
  const signatureIndices = signersOf(coin.wallet)
  const plain = { type: 'secp256k1fx.TransferInput' as const, amount: coin.amount, signatureIndices }
  if (coin.stakeableLocktime <= now) return { ...place, input: plain }
  return { ...place, input: { type: 'stakeable.LockIn', locktime: BigInt(coin.stakeableLocktime), input: plain } }
}

/** The order in which a node wants inputs: by transaction, then by index. */
export function compareCoins(a: Coin, b: Coin): number {
  return Buffer.compare(a.txId, b.txId) || a.index - b.index
}

/** The order in which outputs stand: by asset, plain ones before locked ones, then by amount. */
export function compareDrafts(a: CoinDraft, b: CoinDraft): number {
  const byAsset = a.asset === b.asset ? 0 : Buffer.compare(a.asset, b.asset)
  if (byAsset !== 0) return byAsset
  if (a.stakeableLocktime !== b.stakeableLocktime) return a.stakeableLocktime - b.stakeableLocktime
  return a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0
}
