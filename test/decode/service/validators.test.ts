import { describe, expect, test } from 'vitest'
import { restValidatorsList } from '../../../pipelines/rest-validators.ts'
import { restValidators } from '../../../schemas/rest-networks.ts'
import { id, nodeId, owner } from '../made-ids.ts'
import { testContext } from './reading.ts'

const decode = restValidatorsList({ network: 'mainnet', subject: 'validators' })

/** The fields that validators of every status have. */
const validator = {
  txHash: id('tx'),
  nodeId: nodeId('a'),
  subnetId: id('subnet'),
  amountStaked: '2000000000000',
  delegationFee: '2.0000',
  startTimestamp: 1700000000,
  endTimestamp: 1731536000,
  blsCredentials: { publicKey: '0xab', proofOfPossession: '0xcd' },
}
const active = {
  ...validator,
  stakePercentage: 0.0008,
  delegatorCount: 2,
  amountDelegated: '50000000000',
  uptimePerformance: 99.99,
  avalancheGoVersion: 'avalanchego/1.14.2',
  delegationCapacity: '7950000000000',
  potentialRewards: {
    validationRewardAmount: '123',
    delegationRewardAmount: '4',
    rewardAddresses: [`P-${owner('a')}`],
  },
  validationStatus: 'active',
  validatorHealth: {
    reachabilityPercent: 100,
    benchedPChainRequestsPercent: 0,
    benchedXChainRequestsPercent: 0,
    benchedCChainRequestsPercent: 0.5,
  },
  geolocation: { city: 'São Paulo', country: 'Brazil', countryCode: 'BR', latitude: -23.5475, longitude: -46.6361 },
}
const completed = {
  ...validator,
  delegatorCount: 3,
  rewards: { validationRewardAmount: '120', delegationRewardAmount: '0', rewardTxHash: id('paid') },
  validationStatus: 'completed',
}
const pending = { ...validator, validationStatus: 'pending' }
const removed = {
  ...validator,
  validationStatus: 'removed',
  removeTxHash: id('removal'),
  removeTimestamp: 1710000000,
}

function only(item: object) {
  const context = testContext()
  const [row] = decode({ validators: [item] }, context).rows.validators
  expect(context.unknown).toEqual([])
  return row!
}

describe('validators', () => {
  test('have the version that the node states: whoever runs it can write any text there', () => {
    for (const version of ['avalanchego/1.14.2-é', ' fork\n1', ''])
      expect(only({ ...active, avalancheGoVersion: version }).node_version).toBe(version)
  })

  test('that are active have possible rewards, health and location', () => {
    const row = only(active)
    expect(row).toEqual({
      network: 'mainnet',
      subnet_id: id('subnet'),
      node_id: nodeId('a'),
      tx_id: id('tx'),
      subject: 'validators',
      observation_id: 'observation-1',
      observed_at: 1_763_700_000_000_000n,
      validation_status: 'active',
      start_time: 1_700_000_000_000_000n,
      end_time: 1_731_536_000_000_000n,
      staked_amount: 2_000_000_000_000n,
      delegation_fee_percent: 2,
      bls_public_key: '0xab',
      bls_proof_of_possession: '0xcd',
      stake_percent: 0.0008,
      uptime: 99.99,
      delegator_count: 2,
      delegated_amount: 50_000_000_000n,
      delegation_capacity: 7_950_000_000_000n,
      validation_reward: 123n,
      delegation_reward: 4n,
      reward_addresses: [owner('a')],
      reward_tx_id: null,
      remove_tx_id: null,
      remove_time: null,
      node_version: 'avalanchego/1.14.2',
      validator_health: {
        reachability_percent: 100,
        benched_p_chain_percent: 0,
        benched_x_chain_percent: 0,
        benched_c_chain_percent: 0.5,
      },
      geolocation: {
        city: 'São Paulo',
        country: 'Brazil',
        country_code: 'BR',
        latitude: -23.5475,
        longitude: -46.6361,
      },
    })
    expect(Object.keys(row).sort()).toEqual(Object.keys(restValidators.columns).sort())
  })

  test('that are completed have paid rewards', () => {
    expect(only(completed)).toMatchObject({ validation_reward: 120n, delegation_reward: 0n, reward_tx_id: id('paid') })
  })

  test('that are pending or removed have no rewards', () => {
    for (const item of [pending, removed])
      expect(only(item)).toMatchObject({ validation_reward: null, delegation_reward: null, geolocation: null })
    expect(only(removed)).toMatchObject({ remove_tx_id: id('removal'), remove_time: 1_710_000_000_000_000n })
  })

  test('are refused when they have both paid and possible rewards, or an angle that no place has', () => {
    expect(() => only({ ...completed, potentialRewards: active.potentialRewards })).toThrow('contradict each other')
    const elsewhere = { ...active, geolocation: { ...active.geolocation, latitude: 90.5 } }
    expect(() => only(elsewhere)).toThrow('validators[0].geolocation.latitude of the answer is no angle')
  })

  test('have distinct items when one transaction added several', () => {
    const { items } = decode({ validators: [active, { ...active, nodeId: nodeId('b') }] }, testContext())
    expect(items.map(({ key }) => key)).toEqual([`${id('tx')}/${nodeId('a')}`, `${id('tx')}/${nodeId('b')}`])
  })
})
