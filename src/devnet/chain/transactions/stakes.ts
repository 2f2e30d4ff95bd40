import type { POutputValue } from '../../../codec/p/parts.ts'
import { type Coin, type CoinDraft, outputOf, type Wallet } from '../coins.ts'
import { type Funded, fund, plainDraft, produce, takeAt } from '../funding.ts'
import { nativeAsset, zeroId } from '../genesis.ts'
import type { Stake } from '../registry.ts'
import type { ChainState } from '../state.ts'

/** The part of a staking transaction that locks the stake. */
export type FundedStake = {
  readonly funded: Funded
  readonly stake: readonly POutputValue[]
  readonly returned: readonly CoinDraft[]
}

/** Funds a stake of the native asset; now and then from a coin that is locked for everything but staking. */
export function fundStake(state: ChainState, wallet: Wallet, amount: bigint): FundedStake | null {
  const locked = wallet.locked.findIndex((coin) => coin.amount > amount && coin.stakeableLocktime > state.chainTime)
  if (locked >= 0 && !state.random.oneIn(3)) return stakeLocked(state, wallet, takeAt(wallet.locked, locked), amount)
  const funded = fund(state, { wallet, spend: amount })
  if (funded === null) return null
  const returned = [plainDraft(wallet, amount)]
  return { funded, stake: returned.map(outputOf), returned }
}

function stakeLocked(state: ChainState, wallet: Wallet, coin: Coin, amount: bigint): FundedStake | null {
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
export function fundForeignStake(
  state: ChainState,
  coins: readonly [Coin, ...Coin[]],
  amount: bigint,
): FundedStake | null {
  const { wallet, asset } = coins[0]
  const left = coins.reduce((sum, coin) => sum + coin.amount, 0n) - amount
  const rest = left > 0n ? [plainDraft(wallet, left, asset)] : []
  const funded = fund(state, { wallet, also: coins, rest })
  if (funded === null) return null
  const returned = [plainDraft(wallet, amount, asset)]
  return { funded, stake: returned.map(outputOf), returned }
}

/** How long stakes run: between two minutes and a day, short ones more often. Seconds. */
export function someDuration(state: ChainState): number {
  return Math.floor(120 * 2 ** (state.random.below(9_500) / 1000))
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

/** What acceptance of a staking transaction does: its outputs become coins and the stake runs until its end. */
export function startStake(state: ChainState, txId: Uint8Array, locked: FundedStake, terms: StakeTerms): Stake {
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

/** What an abort does: the outputs and the stake come back at once. */
export function returnStake(state: ChainState, txId: Uint8Array, locked: FundedStake): void {
  produce(state, txId, [...locked.funded.drafts, ...locked.returned])
}
