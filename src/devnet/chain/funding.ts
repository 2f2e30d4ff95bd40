import type { PTx, UnsignedPTx } from '../../codec/p/transactions.ts'
import { type Coin, type CoinDraft, compareCoins, compareDrafts, inputOf, outputOf, type Wallet } from './coins.ts'
import { since } from './eras.ts'
import { nativeAsset, networkId, zeroId } from './genesis.ts'
import type { ChainState } from './state.ts'

type Credential = PTx['credentials'][number]
/** The fields that most transactions begin with. */
export type BaseFields = Pick<
  Extract<UnsignedPTx, { type: 'BaseTx' }>,
  'networkID' | 'blockchainID' | 'outputs' | 'inputs' | 'memo'
>

/** A transaction that has not got its id yet. */
export type BuiltTx = {
  readonly unsignedTx: UnsignedPTx
  readonly credentials: readonly Credential[]
  /** What its acceptance changes. */
  readonly accept: (txId: Uint8Array) => void
  /** What changes when a proposal of it is aborted; proposals only. */
  readonly abort?: (txId: Uint8Array) => void
}

export type Funded = {
  readonly base: BaseFields
  readonly credentials: Credential[]
  /** The coins that the ordinary outputs become, by index. */
  readonly drafts: readonly CoinDraft[]
}

export type Funding = {
  readonly wallet: Wallet
  /** Amount of the native asset that goes elsewhere than to ordinary outputs: stake, exports, balances. */
  readonly spend?: bigint
  /** Ordinary outputs for others, of the native asset. */
  readonly pay?: readonly CoinDraft[]
  /** Coins of other sorts that are spent too, and the outputs that are left of them. */
  readonly also?: readonly Coin[]
  readonly rest?: readonly CoinDraft[]
}

const baseFee = 1_000_000n

/** Wallets with more coins than this put some together whenever they spend. */
const manyCoins = 16

/** Takes coins of a wallet for a transaction and makes its change; null when the wallet has not enough. */
export function fund(
  state: ChainState,
  { wallet, spend = 0n, pay = [], also = [], rest = [] }: Funding,
): Funded | null {
  const need = feeOf(state) + spend + pay.reduce((sum, { amount }) => sum + amount, 0n)
  const taken = takeCoins(state, wallet, need)
  if (taken === null) return null
  const change = taken.reduce((sum, { amount }) => sum + amount, 0n) - need
  const drafts = [...pay, ...rest]
  if (change > 0n) drafts.push(plainDraft(wallet, change))
  drafts.sort(compareDrafts)
  const coins = [...taken, ...also].sort(compareCoins)
  const base = {
    networkID: networkId,
    blockchainID: zeroId,
    outputs: drafts.map(outputOf),
    inputs: coins.map((coin) => inputOf(coin, state.chainTime)),
    memo: memoOf(state),
  }
  return { base, credentials: coins.map((coin) => credentialOf(state, coin.wallet)), drafts }
}

/** The part of a transaction that needs no coins: it is paid for otherwise. */
export function fundless(state: ChainState): Funded {
  const base = { networkID: networkId, blockchainID: zeroId, outputs: [], inputs: [], memo: memoOf(state) }
  return { base, credentials: [], drafts: [] }
}

/** What a transaction burns: a thousandth of the native asset, and up to half as much again. */
export function feeOf(state: ChainState): bigint {
  return baseFee + BigInt(state.random.below(500_000))
}

export function plainDraft(wallet: Wallet, amount: bigint, asset: Uint8Array = nativeAsset): CoinDraft {
  return { wallet, amount, asset, locktime: 0, stakeableLocktime: 0 }
}

export function credentialOf(state: ChainState, wallet: Wallet): Credential {
  const signatures = wallet.addresses.slice(0, wallet.threshold).map(() => state.noise(65))
  return { type: 'secp256k1fx.Credential', signatures }
}

const noMemo = new Uint8Array()

/** Most transactions have no memo, and none may have one since Durango. */
function memoOf(state: ChainState): Uint8Array {
  if (since(state.era, 'durango') || !state.random.oneIn(6)) return noMemo
  return new TextEncoder().encode(`memo ${state.random.below(100_000)}`)
}

function takeCoins(state: ChainState, wallet: Wallet, need: bigint): Coin[] | null {
  const taken: Coin[] = []
  let sum = 0n
  const extra = wallet.coins.length > manyCoins ? state.random.between(2, 4) : 0
  const unlocked = wallet.locked.findIndex(({ stakeableLocktime }) => stakeableLocktime <= state.chainTime)
  if (unlocked >= 0) wallet.coins.push(takeAt(wallet.locked, unlocked))
  while ((sum < need || taken.length < extra) && wallet.coins.length > 0) {
    const coin = takeAt(wallet.coins, state.random.below(wallet.coins.length))
    taken.push(coin)
    sum += coin.amount
  }
  if (sum >= need) return taken
  wallet.coins.push(...taken)
  return null
}

/** Removes an item of a list that has no order. */
export function takeAt<T>(items: T[], at: number): T {
  const item = items[at]!
  const last = items.pop()!
  if (at < items.length) items[at] = last
  return item
}

/** Makes coins of the outputs of an accepted transaction, counting from `firstIndex`. */
export function produce(state: ChainState, txId: Uint8Array, drafts: readonly CoinDraft[], firstIndex = 0): void {
  drafts.forEach((draft, position) => {
    addCoin(state, { ...draft, txId, index: firstIndex + position })
  })
}

export function addCoin(state: ChainState, coin: Coin): void {
  const { wallet } = coin
  if (coin.locktime > state.chainTime) state.maturing.push(coin.locktime, coin)
  else if (coin.asset !== nativeAsset) wallet.foreign.push(coin)
  else if (coin.stakeableLocktime > state.chainTime) wallet.locked.push(coin)
  else wallet.coins.push(coin)
}

/** Moves coins whose time has come to where they can be spent. */
export function matureCoins(state: ChainState): void {
  while (state.maturing.firstTime() <= state.chainTime) addCoin(state, state.maturing.pop()!)
}
