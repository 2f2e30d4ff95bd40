import type { NodeDelegator, nodeDelegators } from '../../../schemas/node-delegators.ts'
import type { NodeL1Validator, nodeL1Validators } from '../../../schemas/node-l1-validators.ts'
import type { NodeValidator, nodeValidators } from '../../../schemas/node-validators.ts'
import type { ReadingContext, RowsOf } from '../../define/index.ts'
import {
  answerObject,
  finish,
  ignore,
  objects,
  optionalObject,
  optionalObjects,
  type Reading,
  raw,
} from '../json/fields.ts'
import {
  id,
  nodeId,
  optionalCount,
  optionalFlag,
  optionalHex,
  optionalPercent,
  optionalU64,
  u64,
} from '../json/value-fields.ts'
import { optionalShares, optionalStakingTime, ownerCells, stakingTime } from './node-fields.ts'
import type { SubnetPlace } from './place.ts'

/** Rows of the validators of a subnet and of their delegators. */
type ValidatorRows = RowsOf<{ validators: typeof nodeValidators; l1Validators: typeof nodeL1Validators }>
type DelegatorRows = RowsOf<{ delegators: typeof nodeDelegators }>

/** Reads the validators in an answer to platform.getCurrentValidators (specification 4.3). */
export function readValidators(answer: unknown, context: ReadingContext, place: SubnetPlace): ValidatorRows {
  const rows: ValidatorRows = { validators: [], l1Validators: [] }
  readList(answer, context, (at) => {
    // Only answers about one requested node id have this field.
    ignore(at, 'delegators')
    if (isOfL1(at)) rows.l1Validators.push(l1ValidatorRow(at, place))
    else rows.validators.push(validatorRow(at, place))
  })
  return rows
}

/** Reads the delegations in an answer to platform.getCurrentValidators with one node id. */
export function readDelegators(answer: unknown, context: ReadingContext, place: SubnetPlace): DelegatorRows {
  const delegators: NodeDelegator[] = []
  readList(answer, context, (at) => {
    const rows = optionalObjects(at, 'delegators', (delegator) => delegatorRow(delegator, place))
    if (rows !== null) delegators.push(...rows)
    ignoreValidator(at)
  })
  return { delegators }
}

/** Returns the ids of the nodes that may have delegators: all except those with a delegator count of 0. */
export function nodesWithDelegators(answer: unknown, context: ReadingContext): string[] {
  const ids: string[] = []
  readList(answer, context, (at) => {
    if (!isOfL1(at) && optionalCount(at, 'delegatorCount') !== 0) ids.push(nodeId(at, 'nodeID'))
    ignoreValidator(at)
  })
  return ids
}

function readList(answer: unknown, context: ReadingContext, read: (at: Reading) => void): void {
  const at = answerObject(answer, 'answer', context)
  objects(at, 'validators', read)
  finish(at)
}

function isOfL1(at: Reading): boolean {
  return raw(at, 'validationID') !== undefined
}

function validatorRow(at: Reading, place: SubnetPlace): NodeValidator {
  return {
    network: place.network,
    subnet_id: place.subnetId,
    node_id: nodeId(at, 'nodeID'),
    subject: place.subject,
    observation_id: at.context.observationId,
    observed_at: at.context.observedAt,
    tx_id: id(at, 'txID'),
    start_time: stakingTime(at, 'startTime'),
    end_time: stakingTime(at, 'endTime'),
    weight: u64(at, 'weight', 'stakeAmount'),
    potential_reward: optionalU64(at, 'potentialReward'),
    accrued_delegatee_reward: optionalU64(at, 'accruedDelegateeReward'),
    delegation_shares: optionalShares(at, 'delegationFee'),
    uptime: optionalPercent(at, 'uptime'),
    connected: optionalFlag(at, 'connected'),
    ...(optionalObject(at, 'signer', signerCells) ?? noSigner),
    delegator_count: optionalCount(at, 'delegatorCount'),
    delegator_weight: optionalU64(at, 'delegatorWeight'),
    next_period: optionalU64(at, 'nextPeriod'),
    auto_compound_reward_shares: optionalCount(at, 'autoCompoundRewardShares'),
    ...ownerCells(at, 'validationRewardOwner', 'validation_reward_owner'),
    ...ownerCells(at, 'delegationRewardOwner', 'delegation_reward_owner'),
    ...ownerCells(at, 'validatorAuthority', 'validator_authority'),
  }
}

const noSigner = { bls_public_key: null, bls_proof_of_possession: null }

function signerCells(at: Reading) {
  return {
    bls_public_key: optionalHex(at, 'publicKey'),
    // The specification spells it with one `s`.
    bls_proof_of_possession: optionalHex(at, 'proofOfPossession', 'proofOfPosession'),
  }
}

function l1ValidatorRow(at: Reading, place: SubnetPlace): NodeL1Validator {
  return {
    network: place.network,
    subnet_id: place.subnetId,
    validation_id: id(at, 'validationID'),
    subject: place.subject,
    observation_id: at.context.observationId,
    observed_at: at.context.observedAt,
    node_id: nodeId(at, 'nodeID'),
    start_time: optionalStakingTime(at, 'startTime'),
    weight: u64(at, 'weight'),
    bls_public_key: optionalHex(at, 'publicKey'),
    min_nonce: optionalU64(at, 'minNonce'),
    balance: optionalU64(at, 'balance'),
    ...ownerCells(at, 'remainingBalanceOwner', 'remaining_balance_owner'),
    ...ownerCells(at, 'deactivationOwner', 'deactivation_owner'),
  }
}

function delegatorRow(at: Reading, place: SubnetPlace): NodeDelegator {
  return {
    network: place.network,
    subnet_id: place.subnetId,
    tx_id: id(at, 'txID'),
    subject: place.subject,
    observation_id: at.context.observationId,
    observed_at: at.context.observedAt,
    node_id: nodeId(at, 'nodeID'),
    start_time: stakingTime(at, 'startTime'),
    end_time: stakingTime(at, 'endTime'),
    weight: u64(at, 'weight', 'stakeAmount'),
    potential_reward: optionalU64(at, 'potentialReward'),
    ...ownerCells(at, 'rewardOwner', 'reward_owner'),
  }
}

/** `readValidators` reads these fields and reports unknown ones. */
function ignoreValidator(at: Reading): void {
  ignore(at, ...(Object.keys(at.object) as [string, ...string[]]))
}
