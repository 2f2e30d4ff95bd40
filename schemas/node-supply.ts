import { identity, type RowOf, t } from '../src/define/index.ts'
import { nodeSubnetColumns } from './shared/node-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const nodeSupply = table({
  name: 'node_supply',
  comment:
    'The supply of the staking token of a subnet, of each time that a node was asked (platform.getCurrentSupply); only the primary network and subnets with elastic staking have one.',
  key: ['network', 'subnet_id', 'observation_id'],
  sortBy: ['subnet_id'],
  partitionBy: [identity('network')],
  history: 'observations',
  columns: {
    ...nodeSubnetColumns,
    ...observationColumns,
    supply: t.u64('Upper bound of the tokens that can be staked: burned ones and fees are not taken off.', nullable),
    height: t.int64('Height of the P chain that it is that of; null where the node does not say.', nullable),
    error: t.text('Why the node gave none, in its words; else null.', nullable),
  },
})
export type NodeSupply = RowOf<typeof nodeSupply>
