import type { RestValidator, restValidators } from '../../../schemas/rest-validators.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import {
  answerObject,
  contradiction,
  finish,
  nextPageToken,
  objects,
  optionalObject,
  optionalText,
  type Reading,
  raw,
} from '../json/fields.ts'
import {
  optionalCount,
  optionalDegrees,
  optionalPercent,
  optionalTime,
  optionalU64,
  time,
  u64,
} from '../json/number-fields.ts'
import { id, nodeId, optionalHex, optionalId, optionalOwners, optionalWord, word } from '../json/text-fields.ts'

/** The network of a list of validators, and its `subject` in the table observations. */
type ListedValidators = { readonly network: string; readonly subject: string }

/** Reads a page of validators: pending, active, completed and removed ones, each with the fields that its status has. */
export function decodeValidators(list: ListedValidators) {
  return (answer: unknown, context: ReadingContext): Page<{ validators: typeof restValidators }> => {
    const at = answerObject(answer, 'answer', context)
    const validators = objects(at, 'validators', (validator) => validatorRow(validator, list))
    const next = nextPageToken(at)
    finish(at)
    // One transaction can add several validators.
    const items = validators.map(({ tx_id, node_id }) => ({ key: `${tx_id}/${node_id}`, time: null }))
    return { rows: { validators }, items, next }
  }
}

function validatorRow(at: Reading, { network, subject }: ListedValidators): RestValidator {
  return {
    network,
    subnet_id: id(at, 'subnetId'),
    node_id: nodeId(at, 'nodeId'),
    tx_id: id(at, 'txHash'),
    subject,
    observation_id: at.context.observationId,
    observed_at: at.context.observedAt,
    validation_status: word(at, 'validationStatus'),
    start_time: time(at, 'startTimestamp'),
    end_time: time(at, 'endTimestamp'),
    staked_amount: u64(at, 'amountStaked'),
    delegation_fee_percent: optionalPercent(at, 'delegationFee'),
    ...(optionalObject(at, 'blsCredentials', bls) ?? noBls),
    stake_percent: optionalPercent(at, 'stakePercentage'),
    uptime: optionalPercent(at, 'uptimePerformance'),
    delegator_count: optionalCount(at, 'delegatorCount'),
    delegated_amount: optionalU64(at, 'amountDelegated'),
    delegation_capacity: optionalU64(at, 'delegationCapacity'),
    ...rewardsOf(at),
    remove_tx_id: optionalId(at, 'removeTxHash'),
    remove_time: optionalTime(at, 'removeTimestamp'),
    node_version: optionalWord(at, 'avalancheGoVersion'),
    validator_health: optionalObject(at, 'validatorHealth', health),
    geolocation: optionalObject(at, 'geolocation', geolocation),
  }
}

const noBls = { bls_public_key: null, bls_proof_of_possession: null }

function bls(at: Reading) {
  return {
    bls_public_key: optionalHex(at, 'publicKey'),
    bls_proof_of_possession: optionalHex(at, 'proofOfPossession'),
  }
}

const noRewards = { validation_reward: null, delegation_reward: null, reward_addresses: null, reward_tx_id: null }

/** Reads the rewards of a completed validator, or the possible ones of an active validator. Throws `DecodeError` if an item has both. */
function rewardsOf(at: Reading) {
  if (raw(at, 'rewards') !== undefined && raw(at, 'potentialRewards') !== undefined)
    throw contradiction(at, 'rewards', raw(at, 'rewards'), 'potentialRewards', raw(at, 'potentialRewards'))
  return optionalObject(at, 'rewards', rewards) ?? optionalObject(at, 'potentialRewards', rewards) ?? noRewards
}

function rewards(at: Reading) {
  return {
    validation_reward: optionalU64(at, 'validationRewardAmount'),
    delegation_reward: optionalU64(at, 'delegationRewardAmount'),
    reward_addresses: optionalOwners(at, 'rewardAddresses'),
    reward_tx_id: optionalId(at, 'rewardTxHash'),
  }
}

function health(at: Reading) {
  return {
    reachability_percent: optionalPercent(at, 'reachabilityPercent'),
    benched_p_chain_percent: optionalPercent(at, 'benchedPChainRequestsPercent'),
    benched_x_chain_percent: optionalPercent(at, 'benchedXChainRequestsPercent'),
    benched_c_chain_percent: optionalPercent(at, 'benchedCChainRequestsPercent'),
  }
}

function geolocation(at: Reading) {
  return {
    city: optionalText(at, 'city'),
    country: optionalText(at, 'country'),
    country_code: optionalWord(at, 'countryCode'),
    latitude: optionalDegrees(at, 'latitude', 90),
    longitude: optionalDegrees(at, 'longitude', 180),
  }
}
