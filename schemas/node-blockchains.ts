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
  lasting: ['blockchain_name', 'subnet_id', 'vm_id'],
  unproven: {
    never: ['blockchain_status'],
    partly: ['blockchain_id', 'blockchain_name', 'subnet_id', 'vm_id'],
  },
  columns: {
    ...chainColumns,
    ...observationColumns,
    blockchain_name: t.text(
      'Name of the chain; null for a chain that the node does not list, such as the P-Chain.',
      nullable,
    ),
    subnet_id: t.address('Subnet that validates the chain; null when the name is null.', nullable),
    vm_id: t.address('Virtual machine of the chain; null when the name is null.', nullable),
    blockchain_status: t.text(
      'Validating, Syncing, Created, Preferred or Unknown; null where the job did not request it.',
      nullable,
    ),
  },
})
export type NodeBlockchain = RowOf<typeof nodeBlockchains>
