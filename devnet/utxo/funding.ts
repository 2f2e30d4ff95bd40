import { since } from '../network/eras.ts'
import { nativeAsset } from '../network/genesis.ts'
import type { Holder } from '../network/holders.ts'
import type { NetworkState } from '../network/state.ts'
import { type Coin, type CoinDraft, compareCoins, compareDrafts, sumOf, type Wallet } from './coins.ts'
import type { UtxoState } from './state.ts'

export type Funding = {
  readonly wallet: Wallet
  /** Amount of the native asset (nAVAX) for other purposes than ordinary outputs: stake, exports, balances. */
  readonly spend?: bigint
  /** Ordinary outputs of the native asset for other wallets. */
  readonly pay?: readonly CoinDraft[]
  /** Coins of other kinds that are also spent, and the outputs that remain of them. */
  readonly also?: readonly Coin[]
  readonly rest?: readonly CoinDraft[]
}

/** The inputs and outputs of a transaction, in their order there. */
export type Spending = {
  readonly coins: readonly Coin[]
  /** The coins that the ordinary outputs become, by index. */
  readonly drafts: readonly CoinDraft[]
}

const baseFee = 1_000_000n

/** A wallet with more coins than this merges some of them whenever it spends. */
const manyCoins = 16

/** Takes coins of a wallet for a transaction and creates its change; null if the wallet has not enough coins. */
export function spendCoins(
  state: UtxoState,
  { wallet, spend = 0n, pay = [], also = [], rest = [] }: Funding,
): Spending | null {
  const need = feeOf(state.network) + spend + sumOf(pay)
  const taken = takeCoins(state, wallet, need)
  if (taken === null) return null
  const change = sumOf(taken) - need
  const drafts = [...pay, ...rest]
  if (change > 0n) drafts.push(plainDraft(wallet, change))
  drafts.sort(compareDrafts)
  return { coins: [...taken, ...also].sort(compareCoins), drafts }
}

/** The fee that a transaction burns, in nAVAX: a thousandth of an AVAX, and up to 50 % more. */
export function feeOf({ random }: NetworkState): bigint {
  return baseFee + BigInt(random.below(500_000))
}

export function plainDraft(wallet: Wallet, amount: bigint, asset: Uint8Array = nativeAsset): CoinDraft {
  return { wallet, amount, asset, locktime: 0, stakeableLocktime: 0 }
}

/** Signatures of a holder. They only have the right length. */
export function signaturesOf({ noise }: NetworkState, { addresses, threshold }: Holder): Uint8Array[] {
  return addresses.slice(0, threshold).map(() => noise(65))
}

const noMemo = new Uint8Array()

/** Most transactions have no memo. Since Durango, memos are not allowed. */
export function memoOf({ era, random }: NetworkState): Uint8Array {
  if (since(era, 'durango') || !random.oneIn(6)) return noMemo
  return new TextEncoder().encode(`memo ${random.below(100_000)}`)
}

function takeCoins({ network, chainTime }: UtxoState, wallet: Wallet, need: bigint): Coin[] | null {
  const { random } = network
  const taken: Coin[] = []
  let sum = 0n
  const extra = wallet.coins.length > manyCoins ? random.between(2, 4) : 0
  const unlocked = wallet.locked.findIndex(({ stakeableLocktime }) => stakeableLocktime <= chainTime)
  if (unlocked >= 0) wallet.coins.push(takeAt(wallet.locked, unlocked))
  while ((sum < need || taken.length < extra) && wallet.coins.length > 0) {
    const coin = takeAt(wallet.coins, random.below(wallet.coins.length))
    taken.push(coin)
    sum += coin.amount
  }
  if (sum >= need) return taken
  wallet.coins.push(...taken)
  return null
}

/** Removes an item from an unordered list. */
export function takeAt<T>(items: T[], at: number): T {
  const item = items[at]!
  const last = items.pop()!
  if (at < items.length) items[at] = last
  return item
}

/** Turns the outputs of an accepted transaction into coins, with indexes from `firstIndex` on. */
export function produce(state: UtxoState, txId: Uint8Array, drafts: readonly CoinDraft[], firstIndex = 0): void {
  drafts.forEach((draft, position) => {
    addCoin(state, { ...draft, txId, index: firstIndex + position })
  })
}

export function addCoin(state: UtxoState, coin: Coin): void {
  const { wallet } = coin
  if (coin.locktime > state.chainTime) state.maturing.push(coin.locktime, coin)
  else if (coin.asset !== nativeAsset) wallet.foreign.push(coin)
  else if (coin.stakeableLocktime > state.chainTime) wallet.locked.push(coin)
  else wallet.coins.push(coin)
}

/** Makes coins spendable that have reached their unlock time. */
export function matureCoins(state: UtxoState): void {
  while (state.maturing.firstTime() <= state.chainTime) addCoin(state, state.maturing.pop()!)
}
