import type { POutputValue } from '../../../codec/p.ts'
import { nativeAsset, zeroId } from '../../network/genesis.ts'
import type { Coin, CoinDraft, Wallet } from '../../utxo/coins.ts'
import { plainDraft, produce, takeAt } from '../../utxo/funding.ts'
import { outputOf } from '../coins.ts'
import { type Funded, fund } from '../funding.ts'
import type { Stake } from '../registry.ts'
import type { PState } from '../state.ts'

/** The part of a staking transaction that locks the stake. */
export type FundedStake = {
  readonly funded: Funded
  readonly stake: readonly POutputValue[]
  readonly returned: readonly CoinDraft[]
}

/** Funds a stake of the native asset, sometimes from a coin that is locked for everything except staking. */
export function fundStake(state: PState, wallet: Wallet, amount: bigint): FundedStake | null {
  const locked = wallet.locked.findIndex((coin) => coin.amount > amount && coin.stakeableLocktime > state.chainTime)
  if (locked >= 0 && !state.network.random.oneIn(3))
    return stakeLocked(state, wallet, takeAt(wallet.locked, locked), amount)
  const funded = fund(state, { wallet, spend: amount })
  if (funded === null) return null
  const returned = [plainDraft(wallet, amount)]
  return { funded, stake: returned.map(outputOf), returned }
}

function stakeLocked(state: PState, wallet: Wallet, coin: Coin, amount: bigint): FundedStake | null {
  const { stakeableLocktime } = coin
  const rest = [{ ...plainDraft(wallet, coin.amount - amount), stakeableLocktime }]
  const funded = fund(state, { wallet, also: [coin], rest })
  if (funded === null) {
    wallet.locked.push(coin)
    return null
  }
  const returned = [{ ...plainDraft(wallet, amount), stakeableLocktime }]
  return { funded, stake: returned.map(outputOf), returned }
}

/** Funds a stake of another asset, as transformed subnets have it. */
export function fundForeignStake(state: PState, coins: readonly [Coin, ...Coin[]], amount: bigint): FundedStake | null {
  const { wallet, asset } = coins[0]
  const left = coins.reduce((sum, coin) => sum + coin.amount, 0n) - amount
  const rest = left > 0n ? [plainDraft(wallet, left, asset)] : []
  const funded = fund(state, { wallet, also: coins, rest })
  if (funded === null) return null
  const returned = [plainDraft(wallet, amount, asset)]
  return { funded, stake: returned.map(outputOf), returned }
}

/** The duration of a stake in seconds: between two minutes and a day, short ones more often. */
export function someDuration(state: PState): number {
  return Math.floor(120 * 2 ** (state.network.random.below(9_500) / 1000))
}

export type StakeTerms = {
  readonly kind: Stake['kind']
  readonly nodeId: Uint8Array
  readonly subnetId?: Uint8Array
  readonly asset?: Uint8Array
  readonly start: number
  readonly end: number
  readonly rewardWallet: Wallet
  readonly delegationWallet?: Wallet
  readonly shares?: number
  readonly validator?: Stake
  readonly period?: number
  readonly authority?: Wallet
}

/** Applies an accepted staking transaction: its outputs become coins, and the stake runs until its end. */
export function startStake(state: PState, txId: Uint8Array, locked: FundedStake, terms: StakeTerms): Stake {
  produce(state, txId, locked.funded.drafts)
  const stake: Stake = {
    txId,
    subnetId: zeroId,
    asset: nativeAsset,
    delegationWallet: terms.rewardWallet,
    authority: terms.rewardWallet,
    shares: 0,
    amount: locked.returned.reduce((sum, { amount }) => sum + amount, 0n),
    returned: locked.returned,
    firstIndex: locked.funded.drafts.length,
    accrued: 0n,
    period: 0,
    ...terms,
    validator: terms.validator ?? null,
  }
  state.stakes.push(stake.end, stake)
  if (stake.kind !== 'delegator') state.validators.push(stake)
  return stake
}

/** Applies an abort: the outputs and the stake are returned at once. */
export function returnStake(state: PState, txId: Uint8Array, locked: FundedStake): void {
  produce(state, txId, [...locked.funded.drafts, ...locked.returned])
}
