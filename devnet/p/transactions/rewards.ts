import { since } from '../../network/eras.ts'
import type { CoinDraft } from '../../utxo/coins.ts'
import { addCoin, plainDraft, produce, takeAt } from '../../utxo/funding.ts'
import type { BuiltTx } from '../funding.ts'
import type { Stake } from '../registry.ts'
import type { PState } from '../state.ts'

/** The proposal that ends a stake, or a period of an auto-renewed stake. */
export function rewardTx(state: PState, stake: Stake): BuiltTx {
  if (stake.kind === 'renewed') {
    return {
      unsignedTx: { type: 'RewardAutoRenewedValidatorTx', txID: stake.txId, timestamp: BigInt(stake.end) },
      credentials: [],
      accept: () => renew(state, stake),
      abort: () => endStake(state, stake, 0n),
    }
  }
  return {
    unsignedTx: { type: 'RewardValidatorTx', txID: stake.txId },
    credentials: [],
    accept: () => endStake(state, stake, rewardOf(stake)),
    abort: () => endStake(state, stake, 0n),
  }
}

/** A tenth of the stake per year, plus 1 smallest unit of the staked asset. Times are in Unix seconds. */
export function rewardOf({ amount, start, end }: Pick<Stake, 'amount' | 'start' | 'end'>): bigint {
  return (amount * BigInt(end - start)) / 315_360_000n + 1n
}

/** The reward stays in the stake: nothing is paid while the stake continues. */
function renew(state: PState, stake: Stake): void {
  if (stake.period === 0) {
    endStake(state, stake, rewardOf(stake))
    return
  }
  stake.end += stake.period
  state.stakes.push(stake.end, stake)
}

/**
 * Returns the stake at the indexes after the outputs of its transaction, then pays the reward (wire-format.md 1.7). A validator gets its
 * part of a delegation's reward immediately before Cortina, and at the end of the validation since then. An abort also pays that accrued
 * part, in the position of the reward.
 */
function endStake(state: PState, stake: Stake, reward: bigint): void {
  produce(state, stake.txId, stake.returned, stake.firstIndex)
  let index = stake.firstIndex + stake.returned.length
  const pay = (draft: CoinDraft): void => {
    if (draft.amount > 0n) addCoin(state, { ...draft, txId: stake.txId, index: index++ })
  }
  const { validator, asset } = stake
  const part = validator === null ? 0n : (reward * BigInt(validator.shares)) / 1_000_000n
  pay(plainDraft(stake.rewardWallet, reward - part, asset))
  if (validator !== null && since(state.network.era, 'cortina')) validator.accrued += part
  else if (validator !== null) pay(plainDraft(validator.delegationWallet, part, asset))
  else pay(plainDraft(stake.delegationWallet, stake.accrued, asset))
  forget(state.validators, stake)
  forget(state.renewed, stake)
}

function forget(stakes: Stake[], stake: Stake): void {
  const at = stakes.indexOf(stake)
  if (at >= 0) takeAt(stakes, at)
}
