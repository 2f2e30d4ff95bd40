import { chainTexts } from '../../network/genesis.ts'
import { rewardOf } from '../../p/transactions/rewards.ts'
import type { Stake } from '../../service/primary/ledger/model.ts'
import type { L1Validator, PermissionedValidator } from '../../service/primary/ledger/validators.ts'
import { isConnected, uptimeOf } from '../../service/primary/uptime.ts'
import { ownerJson } from '../shared/owner-json.ts'

/** A staker as platform.getCurrentValidators returns it, without its delegators. */
export function stakerJson(stake: Stake, delegations: readonly Stake[]): object {
  const { tx, rewardOwner, feeOwner, shares, renewal } = stake
  const { bls } = tx.details
  return {
    ...common(stake),
    validationRewardOwner: ownerJson(rewardOwner),
    delegationRewardOwner: ownerJson(feeOwner),
    potentialReward: rewardOf(stake).toString(),
    accruedDelegateeReward: stake.accrued.toString(),
    delegationFee: percent(shares / 10_000),
    // A node does not measure the uptime of validators of other subnets.
    ...(stake.subnetId === chainTexts.P ? { uptime: percent(uptimeOf(tx.txId)) } : {}),
    connected: isConnected(tx.txId),
    ...(bls === undefined ? {} : { signer: bls }),
    ...(renewal === null
      ? {}
      : {
          validatorAuthority: ownerJson(renewal.authority),
          nextPeriod: String(stake.period),
          autoCompoundRewardShares: String(renewal.shares),
        }),
    delegatorCount: String(delegations.length),
    delegatorWeight: delegations.reduce((sum, { amount }) => sum + amount, 0n).toString(),
  }
}

export function delegatorJson(stake: Stake): object {
  return {
    ...common(stake),
    rewardOwner: ownerJson(stake.rewardOwner),
    potentialReward: rewardOf(stake).toString(),
  }
}

export function permissionedJson({ txId, start, end, weight, nodeId }: PermissionedValidator): object {
  const times = { startTime: String(start), endTime: String(end) }
  return { txID: txId, ...times, weight: weight.toString(), nodeID: nodeId, connected: isConnected(txId) }
}

export function l1ValidatorJson(validator: L1Validator): object {
  return {
    nodeID: validator.nodeId,
    weight: validator.weight.toString(),
    startTime: String(validator.start),
    validationID: validator.validationId,
    publicKey: validator.publicKey,
    remainingBalanceOwner: ownerJson(validator.remainingBalanceOwner),
    deactivationOwner: ownerJson(validator.deactivationOwner),
    minNonce: validator.minNonce.toString(),
    balance: validator.balance.toString(),
  }
}

function common({ tx, periodStart, end, amount, nodeId }: Stake): object {
  const times = { startTime: String(periodStart), endTime: String(end) }
  return { txID: tx.txId, ...times, weight: amount.toString(), nodeID: nodeId }
}

function percent(value: number): string {
  return value.toFixed(4)
}
