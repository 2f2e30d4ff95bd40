import { identity, type RowOf, t } from '../src/define/index.ts'
import { blsPublicKeyColumn, nodeSubnetColumns, stakingTimeColumns } from './shared/node-columns.ts'
import { ownerColumns } from './shared/owner-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const nodeValidators = table({
  name: 'node_validators',
  comment:
    'One row per current validator of the primary network or of a subnet that is no L1, of each time that a node was asked (platform.getCurrentValidators).',
  key: ['network', 'subnet_id', 'node_id', 'observation_id'],
  sortBy: ['subnet_id', 'node_id'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'observations',
  coverage: { filters: { 'node-ids': 'node_id' } },
  columns: {
    ...nodeSubnetColumns,
    node_id: t.address('NodeID-…'),
    ...observationColumns,
    tx_id: t.cb58('Transaction that made it a validator.'),
    ...stakingTimeColumns,
    weight: t.u64('Weight: the stake of validators of the primary network, without what is delegated to them.'),
    potential_reward: t.u64(
      'Reward that it gets when it validates well to the end; null where there are none.',
      nullable,
    ),
    accrued_delegatee_reward: t.u64('Its share of the rewards of delegations that have ended.', nullable),
    delegation_shares: t.int64(
      'Share of the delegation rewards that it keeps, of 1,000,000 (delegationFee, which the node states in percent).',
      nullable,
    ),
    uptime: t.double('Percent of the time that the asked node saw it online; null where it does not say.', nullable),
    connected: t.boolean('Whether the asked node is connected to it; null where it does not say.', nullable),
    ...blsPublicKeyColumn,
    bls_proof_of_possession: t.hex('Proof that it has the BLS key, 96 bytes.', nullable),
    delegator_count: t.int64('Current delegations to it.', nullable),
    delegator_weight: t.u64('Weight of these.', nullable),
    next_period: t.u64('Seconds of its next staking period, of an auto-renewed validator; 0: it stops.', nullable),
    auto_compound_reward_shares: t.int64(
      'Share of the rewards that is staked again, of 1,000,000, of an auto-renewed validator.',
      nullable,
    ),
    ...ownerColumns('validation_reward_owner', 'the owner of the validation rewards'),
    ...ownerColumns('delegation_reward_owner', 'the owner of the delegation rewards'),
    ...ownerColumns('validator_authority', 'the owner that may configure an auto-renewed validator'),
  },
})
export type NodeValidator = RowOf<typeof nodeValidators>
