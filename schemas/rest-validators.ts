import { identity, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { stakingTimeColumns } from './shared/node-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const
const percentOfRequests = (chain: 'P' | 'X' | 'C') =>
  t
    .double(
      `Share of requests about the ${chain}-Chain that other nodes did not send to it because it had been slow.`,
      nullable,
    )
    .at(`benched${chain}ChainRequestsPercent`, 'percent')

export const restValidators = table({
  name: 'rest_validators',
  comment:
    'Validators of the Primary Network and of subnets that are not L1s, as the REST service lists them: pending, active, completed and removed ones. One row per validation and observation.',
  key: ['network', 'subnet_id', 'node_id', 'tx_id', 'observation_id'],
  sortBy: ['subnet_id', 'node_id', 'start_time'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  lasting: ['start_time'],
  coverage: { filters: { status: 'validation_status', 'subnet-id': 'subnet_id', 'node-ids': 'node_id' } },
  unproven: {
    never: ['start_time'],
    partly: ['end_time'],
  },
  columns: {
    ...networkColumn,
    subnet_id: t.address('Id of the subnet.').at('subnetId', 'id').partlyUnproven(),
    node_id: t.address('Node id, NodeID-….').at('nodeId', 'nodeId').partlyUnproven(),
    tx_id: t.cb58('Transaction that added the validator.').at('txHash').partlyUnproven(),
    ...observationColumns,
    validation_status: t
      .text('Status when the service answered: pending, active, completed or removed.')
      .at('validationStatus', 'word')
      .unproven(),
    start_time: stakingTimeColumns.start_time.at('startTimestamp', 'seconds'),
    end_time: stakingTimeColumns.end_time.at('endTimestamp', 'seconds'),
    staked_amount: t
      .u64('Own stake without delegations, or weight; on the Primary Network in nAVAX.')
      .at('amountStaked')
      .partlyUnproven(),
    delegation_fee_percent: t
      .double('Share of delegation rewards that the validator keeps, in percent.', nullable)
      .at('delegationFee', 'percent')
      .lasting()
      .partlyUnproven(),
    bls_public_key: t
      .hex('BLS public key, 48 bytes; null where the service returns none.', nullable)
      .at('blsCredentials.publicKey')
      .lasting()
      .partlyUnproven(),
    bls_proof_of_possession: t
      .hex('Proof of possession of the BLS key, 96 bytes.', nullable)
      .at('blsCredentials.proofOfPossession')
      .lasting()
      .partlyUnproven(),
    stake_percent: t
      .double('Share of the stake of the subnet, in percent; active validators only.', nullable)
      .at('stakePercentage', 'percent')
      .unproven(),
    uptime: t
      .double('Uptime that the service observed, in percent; active validators only.', nullable)
      .at('uptimePerformance', 'percent')
      .unproven(),
    delegator_count: t
      .int64('Number of delegations; null where the service returns none.', nullable)
      .at('delegatorCount')
      .unproven(),
    delegated_amount: t
      .u64('Sum of the delegations, on the Primary Network in nAVAX.', nullable)
      .at('amountDelegated')
      .unproven(),
    delegation_capacity: t
      .u64('Amount that can still be delegated to an active validator, on the Primary Network in nAVAX.', nullable)
      .at('delegationCapacity')
      .unproven(),
    validation_reward: t
      .u64(
        'Reward for the own stake, on the Primary Network in nAVAX: paid if completed, possible if active.',
        nullable,
      )
      .at('rewards.validationRewardAmount|potentialRewards.validationRewardAmount')
      .unproven(),
    delegation_reward: t
      .u64(
        'Share of the validator in rewards of delegations, on the Primary Network in nAVAX: paid if completed, possible if active.',
        nullable,
      )
      .at('rewards.delegationRewardAmount|potentialRewards.delegationRewardAmount')
      .unproven(),
    reward_addresses: t
      .list(t.address('Address.'), 'Addresses that receive the reward, bech32 without chain prefix.', nullable)
      .at('rewards.rewardAddresses|potentialRewards.rewardAddresses', 'owner')
      .unproven(),
    reward_tx_id: t
      .cb58('Transaction that paid the reward.', nullable)
      .at('rewards.rewardTxHash|potentialRewards.rewardTxHash')
      .unproven(),
    remove_tx_id: t
      .cb58('Transaction that removed the validator; removed validators only.', nullable)
      .at('removeTxHash')
      .unproven(),
    remove_time: t.timestamp('Time of that transaction (UTC).', nullable).at('removeTimestamp').unproven(),
    node_version: t
      .text('Version of the software of the node; active validators only.', nullable)
      .at('avalancheGoVersion', 'word')
      .unproven(),
    validator_health: t
      .struct(
        {
          reachability_percent: t
            .double('Share of attempts in which the service reached the node, in percent.', nullable)
            .at('reachabilityPercent', 'percent'),
          benched_p_chain_percent: percentOfRequests('P'),
          benched_x_chain_percent: percentOfRequests('X'),
          benched_c_chain_percent: percentOfRequests('C'),
        },
        'How well the service reaches an active validator, in percent.',
        nullable,
      )
      .at('validatorHealth')
      .unproven(),
    geolocation: t
      .struct(
        {
          city: t.text('City.', nullable).at('city'),
          country: t.text('Country.', nullable).at('country'),
          country_code: t.text('Code of the country.', nullable).at('countryCode', 'word'),
          latitude: t.double('Latitude in degrees.', nullable).at('latitude', 'latitude'),
          longitude: t.double('Longitude in degrees.', nullable).at('longitude', 'longitude'),
        },
        'Location of the IP address of an active validator.',
        nullable,
      )
      .at('geolocation')
      .unproven(),
  },
})
