import { DecodeError } from '../../codec/errors.ts'
import { nodeIdBytes } from '../../codec/ids.ts'
import {
  idOf,
  MethodError,
  type Parameters,
  type RpcMethod,
  textsOf,
  uint64Of,
  unreadableArgument,
} from '../http/json-rpc.ts'
import type { ContainerStore } from '../index/store.ts'
import { chainTexts } from '../network/genesis.ts'
import { rewardOf } from '../p/transactions/staking.ts'
import type { PrimaryLedger, PrimaryState } from '../service/primary/ledger/ledger.ts'
import type { L1Validator, PermissionedValidator, Stake } from '../service/primary/ledger/model.ts'
import {
  delegationsOf,
  isConnected,
  l1ValidatorsOf,
  permissionedOf,
  stakersOf,
  uptimeOf,
} from '../service/primary/validators.ts'
import { ownerJson } from './json.ts'

/**
 * The current validators of a subnet (specification 4.3): stakers, validators that the owner of the subnet has added, and validators of an
 * L1. Delegators are listed only if the request names a single node; for several or all nodes, their number and weight are returned.
 */
export function validatorMethods(
  ledger: PrimaryLedger,
  store: ContainerStore,
): Readonly<Record<'getCurrentValidators' | 'getValidatorsAt', RpcMethod>> {
  return {
    getCurrentValidators: async (parameters) => {
      const subnetId = idOf(parameters, 'subnetid')
      const nodeIds = nodeIdsOf(parameters)
      const state = await ledger.state()
      const validators = validatorsOf(state, { subnetId, nodeIds, time: state.times.P })
      return [JSON.stringify({ validators })]
    },
    getValidatorsAt: async (parameters) => {
      if (idOf(parameters, 'subnetid') !== chainTexts.P)
        throw new MethodError('the simulated node has no earlier validators of other subnets than the Primary Network')
      const height = uint64Of(parameters, 'height')
      if (height > BigInt(store.count())) throw new MethodError('invalid height')
      return [JSON.stringify(validatorsAt(await ledger.state(), Number(height)))]
    },
  }
}

/** The validators of the Primary Network after the block of this height, with the stake of their delegators. */
function validatorsAt({ stakings }: PrimaryState, height: number): object {
  const set: Record<string, { publicKey?: string; weight: string }> = {}
  for (const { tx, subnetId, nodeId, amount, ended } of stakings.values()) {
    const isPast = ended !== null && ended.place.height <= height
    if (subnetId !== chainTexts.P || tx.place.height > height || isPast) continue
    const known = set[nodeId] ?? { weight: '0' }
    const key = tx.details.bls?.publicKey ?? known.publicKey
    const weight = (BigInt(known.weight) + amount).toString()
    set[nodeId] = { ...(key === undefined ? {} : { publicKey: key }), weight }
  }
  return set
}

type Selection = { readonly subnetId: string; readonly nodeIds: ReadonlySet<string>; readonly time: number }

function validatorsOf(state: PrimaryState, { subnetId, nodeIds, time }: Selection): object[] {
  const wanted = ({ nodeId }: { readonly nodeId: string }): boolean => nodeIds.size === 0 || nodeIds.has(nodeId)
  const stakerOf = (stake: Stake): object => {
    const delegations = delegationsOf(state, stake, time)
    const json = stakerJson(stake, delegations)
    return nodeIds.size === 1 ? { ...json, delegators: delegations.map(delegatorJson) } : json
  }
  return [
    ...stakersOf(state, subnetId, time).filter(wanted).map(stakerOf),
    ...permissionedOf(state, subnetId, time).filter(wanted).map(permissionedJson),
    ...l1ValidatorsOf(state, subnetId).filter(wanted).map(l1ValidatorJson),
  ]
}

function nodeIdsOf(parameters: Parameters): ReadonlySet<string> {
  const texts = textsOf(parameters, 'nodeids')
  try {
    for (const text of texts) nodeIdBytes(text)
  } catch (error) {
    if (error instanceof DecodeError) throw unreadableArgument()
    throw error
  }
  return new Set(texts)
}

/** A staker as platform.getCurrentValidators returns it, without its delegators. */
function stakerJson(stake: Stake, delegations: readonly Stake[]): object {
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

function delegatorJson(stake: Stake): object {
  return {
    ...common(stake),
    rewardOwner: ownerJson(stake.rewardOwner),
    potentialReward: rewardOf(stake).toString(),
  }
}

function permissionedJson({ txId, start, end, weight, nodeId }: PermissionedValidator): object {
  const times = { startTime: String(start), endTime: String(end) }
  return { txID: txId, ...times, weight: weight.toString(), nodeID: nodeId, connected: isConnected(txId) }
}

function l1ValidatorJson(validator: L1Validator): object {
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
