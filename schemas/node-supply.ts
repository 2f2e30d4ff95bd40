import { identity, t } from '../src/define/index.ts'
import { nodeSubnetColumns } from './shared/node-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const nodeSupply = table({
  name: 'node_supply',
  comment:
    'Supply of the staking token of a subnet (platform.getCurrentSupply). One row per observation. Only the Primary Network and subnets with elastic staking have one.',
  key: ['network', 'subnet_id', 'observation_id'],
  sortBy: ['subnet_id'],
  partitionBy: [identity('network')],
  history: 'observations',
  columns: {
    ...nodeSubnetColumns,
    ...observationColumns,
    supply: t
      .u64(
        'Upper bound of the supply, in the least unit of the staking token (Primary Network: nAVAX). Burned tokens and fees are not subtracted.',
        nullable,
      )
      .at('supply')
      .unproven(),
    height: t
      .int64('P-Chain height of this supply; null where the node does not return it.', nullable)
      .at('height')
      .unproven(),
    error: t.text('Error message of the node when it returned no supply; otherwise null.', nullable).unproven(),
  },
})
