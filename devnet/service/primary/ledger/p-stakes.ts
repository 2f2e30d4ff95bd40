import { idText, nodeIdText } from '../../../../codec/ids.ts'
import type { PInputValue, POutputValue, UnsignedPTx } from '../../../../codec/p.ts'
import { chainTexts, timeOf } from '../../../network/genesis.ts'
import { rewardOf } from '../../../p/transactions/staking.ts'
import type { Book, Journal, Spent } from './book.ts'
import type { PTransaction, RewardType, Stake, Utxo, UtxoOwner } from './model.ts'
import { amountIn, amountOf } from './tally.ts'

export type StakingTx = Extract<UnsignedPTx, { stake: unknown }>

/** Follows stakes from their transaction to their end, by the rules of the chain (wire-format.md 1.7). */
type Stakes = {
  /** Starts the stake of an accepted transaction. */
  begin(tx: StakingTx, terms: Terms, transaction: PTransaction): Stake
  find(txId: string): Stake
  /** Ends a stake, or one period of an auto-renewed stake, and pays the rewards that are due. */
  end(stake: Stake, rewardTx: PTransaction, committed: boolean): void
}

/**
 * Since Cortina, a validator's part of delegation rewards is paid at its end. A reward at exactly that time still follows the older rule.
 */
const cortinaTime = timeOf('cortina')

export function createStakes({ book, rewards, stakings, stakes, supplies }: Journal): Stakes {
  const validations = new Map<string, Stake>()

  const endNow = (stake: Stake, rewardTx: PTransaction, reward: bigint): void => {
    stake.ended = rewardTx
    stakes.delete(stake)
    let index = stake.nextIndex
    const pay = (owner: UtxoOwner, amount: bigint, rewardType: RewardType): void => {
      if (amount === 0n) return
      const { asset, tx } = stake
      const common = { origin: 'reward', createdOn: 'P', created: rewardTx.place } as const
      const utxo = book.emit({ txId: tx.txId, index: index++, asset, amount, owner, rewardType, ...common })
      rewardTx.emitted.push(utxo)
      rewards.push({ utxo, stake, tx: rewardTx })
      stake.rewards.push(utxo)
      supplies.set(stake.subnetId, (supplies.get(stake.subnetId) ?? 0n) + amount)
    }
    const { validator } = stake
    const part = validator === null ? 0n : feeOf(reward, validator)
    pay(stake.rewardOwner, reward - part, validator === null ? 'VALIDATOR' : 'DELEGATOR')
    if (validator === null) pay(stake.feeOwner, stake.accrued, 'VALIDATOR_FEE')
    else if (rewardTx.place.time > cortinaTime) validator.accrued += part
    else pay(validator.feeOwner, part, 'VALIDATOR_FEE')
  }
  return {
    begin: (tx, terms, transaction) => {
      const { kind, nodeId } = terms
      const stake: Stake = {
        ...terms,
        asset: idText(tx.stake[0]!.assetID),
        amount: tx.stake.reduce((sum, output) => sum + amountOf(output), 0n),
        tx: transaction,
        rewardOwner: book.ownerOf(rewardsOwnerOf(tx)),
        feeOwner: book.ownerOf('rewardsOwner' in tx ? tx.rewardsOwner : tx.delegationRewardsOwner),
        validator: kind === 'delegator' ? (validations.get(nodeId) ?? null) : null,
        accrued: 0n,
        periodStart: terms.start,
        renewal: renewalOf(tx, book),
        rewards: [],
        nextIndex: tx.outputs.length + tx.stake.length,
        ended: null,
      }
      stakings.set(transaction.txId, stake)
      stakes.add(stake)
      if (kind === 'validator') validations.set(nodeId, stake)
      return stake
    },
    find: (txId) => {
      const stake = stakings.get(txId)
      if (stake === undefined) throw new RangeError(`${txId} is rewarded but does not stake`)
      return stake
    },
    end: (stake, rewardTx, committed) => {
      if (stake.kind === 'renewed' && committed && stake.period !== 0) {
        stake.periodStart = stake.end
        stake.end += stake.period
      } else endNow(stake, rewardTx, committed ? rewardOf(stake) : 0n)
    },
  }
}

function renewalOf(tx: StakingTx, { ownerOf }: Book): Stake['renewal'] {
  if (tx.type !== 'AddAutoRenewedValidatorTx') return null
  return { authority: ownerOf(tx.validatorAuthority), shares: tx.autoCompoundRewardShares }
}

/** The owner of the reward of a stake. */
export function rewardsOwnerOf(tx: StakingTx) {
  return 'rewardsOwner' in tx ? tx.rewardsOwner : tx.validationRewardsOwner
}

/** The validator's part of a delegation's reward. */
function feeOf(reward: bigint, validator: Stake): bigint {
  return (reward * BigInt(validator.shares)) / 1_000_000n
}

/** The amount that the owner of a stake gets if the stake ends as planned. */
export function estimatedReward(stake: Stake): bigint {
  const reward = rewardOf(stake)
  return stake.validator === null ? reward : reward - feeOf(reward, stake.validator)
}

/** The terms of a stake, as far as the transaction and its block state them. */
type Terms = Pick<Stake, 'kind' | 'nodeId' | 'subnetId' | 'start' | 'end' | 'period' | 'shares'>

export function termsOf(tx: StakingTx, blockTime: number): Terms {
  if (tx.type === 'AddAutoRenewedValidatorTx') {
    const period = Number(tx.period)
    return {
      kind: 'renewed',
      nodeId: nodeIdText(tx.nodeID),
      subnetId: chainTexts.P,
      start: blockTime,
      end: blockTime + period,
      period,
      shares: tx.delegationShares,
    }
  }
  const { nodeID, start, end } = tx.validator
  return {
    kind: 'shares' in tx ? 'validator' : 'delegator',
    nodeId: nodeIdText(nodeID),
    subnetId: 'subnetID' in tx ? idText(tx.subnetID) : chainTexts.P,
    // Until Durango, the transaction states the start. Since then, it states the time of the block, or 0.
    start: start === 0n ? blockTime : Number(start),
    end: Number(end),
    period: 0,
    shares: 'shares' in tx ? tx.shares : 0,
  }
}

/** Emits outputs of a P-Chain transaction with consecutive indexes. */
export function emitPOutputs(
  book: Book,
  outputs: readonly POutputValue[],
  firstIndex: number,
  emission: Pick<Utxo, 'txId' | 'created' | 'origin' | 'livesOn' | 'stake'>,
): Utxo[] {
  return outputs.map(({ assetID, output }, position) => {
    const locked = output.type === 'stakeable.LockOut'
    const { amount, ...owner } = locked ? output.output : output
    return book.emit({
      index: firstIndex + position,
      asset: idText(assetID),
      amount,
      owner: book.ownerOf(owner),
      stakeableLocktime: locked ? output.locktime : null,
      createdOn: 'P',
      ...emission,
    })
  })
}

export function pSpent(inputs: readonly PInputValue[]): Spent[] {
  return inputs.map((input) => {
    const place = { txId: idText(input.txID), index: input.outputIndex, asset: idText(input.assetID) }
    return { ...place, amount: amountIn(input), signatures: [] }
  })
}
