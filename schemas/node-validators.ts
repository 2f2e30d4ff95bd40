import { below, identity, t } from '../src/define/index.ts'
import { blsPublicKeyColumn, nodeSubnetColumns, stakingTimeColumns } from './shared/node-columns.ts'
import { ownerColumns, ownerNames } from './shared/owner-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const nodeValidators = table({
  name: 'node_validators',
  comment:
    'Current validators of the Primary Network and of subnets that are not L1s (platform.getCurrentValidators). One row per validator and observation.',
  key: ['network', 'subnet_id', 'node_id', 'observation_id'],
  sortBy: ['subnet_id', 'node_id'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  coverage: { filters: { 'node-ids': 'node_id' } },
  unproven: {
    never: [
      'start_time',
      ...ownerNames('validation_reward_owner'),
      ...ownerNames('delegation_reward_owner'),
      ...ownerNames('validator_authority'),
    ],
    partly: ['end_time', 'bls_public_key'],
  },
  columns: {
    ...nodeSubnetColumns,
    node_id: t.address('Node id, NodeID-….').at('nodeID', 'nodeId').partlyUnproven(),
    ...observationColumns,
    tx_id: t.cb58('Transaction that added the validator.').at('txID').partlyUnproven(),
    ...stakingTimeColumns,
    weight: t
      .u64('Weight. On the Primary Network this is the own stake in nAVAX, without delegations.')
      .at('weight|stakeAmount')
      .partlyUnproven(),
    potential_reward: t
      .u64(
        'Reward if the validator meets the uptime requirement until the end, on the Primary Network in nAVAX; null where there are no rewards.',
        nullable,
      )
      .at('potentialReward')
      .unproven(),
    accrued_delegatee_reward: t
      .u64('Share of the validator in rewards of ended delegations, on the Primary Network in nAVAX.', nullable)
      .at('accruedDelegateeReward')
      .unproven(),
    delegation_shares: t
      .int64(
        'Share of delegation rewards that the validator keeps, in parts per million (delegationFee, which the node returns in percent).',
        nullable,
      )
      .at('delegationFee', 'shares')
      .partlyUnproven(),
    uptime: t
      .double('Uptime that the answering node observed, in percent; null where it returns none.', nullable)
      .at('uptime', 'percent')
      .unproven(),
    connected: t
      .boolean('Whether the answering node is connected to the validator; null where it returns nothing.', nullable)
      .at('connected')
      .unproven(),
    ...below('signer', blsPublicKeyColumn),
    bls_proof_of_possession: t
      .hex('Proof of possession of the BLS key, 96 bytes.', nullable)
      .at('signer.proofOfPossession|signer.proofOfPosession')
      .unproven(),
    delegator_count: t.int64('Number of current delegations.', nullable).at('delegatorCount').unproven(),
    delegator_weight: t
      .u64('Total weight of current delegations, on the Primary Network in nAVAX.', nullable)
      .at('delegatorWeight')
      .unproven(),
    next_period: t
      .u64(
        'Length in seconds of the next staking period of an auto-renewed validator; 0: the validator stops.',
        nullable,
      )
      .at('nextPeriod')
      .unproven(),
    auto_compound_reward_shares: t
      .int64('Share of rewards that an auto-renewed validator stakes again, in parts per million.', nullable)
      .at('autoCompoundRewardShares')
      .unproven(),
    ...ownerColumns('validation_reward_owner', 'the owner of the validation rewards', 'validationRewardOwner?'),
    ...ownerColumns('delegation_reward_owner', 'the owner of the delegation rewards', 'delegationRewardOwner?'),
    ...ownerColumns(
      'validator_authority',
      'the owner that can configure an auto-renewed validator',
      'validatorAuthority?',
    ),
  },
})
