import { identity, t } from '../src/define/index.ts'
import { nodeSubnetColumns, stakingTimeColumns } from './shared/node-columns.ts'
import { ownerColumns, ownerNames } from './shared/owner-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

export const nodeDelegators = table({
  name: 'node_delegators',
  comment:
    'Current delegations to validators (platform.getCurrentValidators by node id). One row per delegation and observation.',
  key: ['network', 'tx_id', 'observation_id'],
  sortBy: ['subnet_id', 'node_id', 'tx_id'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  lasting: ['subnet_id', 'start_time', 'end_time', ...ownerNames('reward_owner')],
  coverage: { filters: { 'node-ids': 'node_id' }, needs: 'delegators' },
  unproven: {
    never: ['start_time', ...ownerNames('reward_owner')],
    partly: ['end_time'],
  },
  columns: {
    ...nodeSubnetColumns,
    tx_id: t.cb58('Transaction that created the delegation.').at('txID').partlyUnproven(),
    ...observationColumns,
    node_id: t.address('Node id of the validator, NodeID-….').at('nodeID', 'nodeId').lasting().partlyUnproven(),
    ...stakingTimeColumns,
    weight: t
      .u64('Weight: the stake, on the Primary Network in nAVAX.')
      .at('weight|stakeAmount')
      .lasting()
      .partlyUnproven(),
    potential_reward: t
      .u64(
        'Reward of delegator and validator together if the validator meets the uptime requirement, on the Primary Network in nAVAX.',
        {
          nullable: true,
        },
      )
      .at('potentialReward')
      .lasting()
      .unproven(),
    ...ownerColumns('reward_owner', 'the owner of the reward', 'rewardOwner?'),
  },
})
