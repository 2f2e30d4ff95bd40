import { identity, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const nodeBlockchains = table({
  name: 'node_blockchains',
  comment:
    'Blockchains that a node knows, with their status (platform.getBlockchains, platform.getBlockchainStatus). One row per blockchain and observation.',
  key: ['network', 'blockchain_id', 'observation_id'],
  sortBy: ['subnet_id', 'blockchain_id'],
  partitionBy: [identity('network')],
  history: 'observations',
  unproven: {
    partly: ['blockchain_id'],
  },
  columns: {
    ...chainColumns,
    ...observationColumns,
    blockchain_name: t
      .text('Name of the chain; null for a chain that the node does not list, such as the P-Chain.', nullable)
      .lasting()
      .partlyUnproven(),
    subnet_id: t
      .address('Subnet that validates the chain; null when the name is null.', nullable)
      .lasting()
      .partlyUnproven(),
    vm_id: t.address('Virtual machine of the chain; null when the name is null.', nullable).lasting().partlyUnproven(),
    blockchain_status: t
      .text('Validating, Syncing, Created, Preferred or Unknown; null where the job did not request it.', nullable)
      .unproven(),
  },
})
export type NodeBlockchain = RowOf<typeof nodeBlockchains>
