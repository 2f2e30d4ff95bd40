import { identity, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const nodeBlockchains = table({
  name: 'node_blockchains',
  comment:
    'One row per blockchain that a node knows, with its status there, of each time that it was asked (platform.getBlockchains, platform.getBlockchainStatus).',
  key: ['network', 'blockchain_id', 'observation_id'],
  sortBy: ['subnet_id', 'blockchain_id'],
  partitionBy: [identity('network')],
  history: 'observations',
  columns: {
    ...chainColumns,
    ...observationColumns,
    blockchain_name: t.text('Name; null for a chain that the node does not list, such as the P chain.', nullable),
    subnet_id: t.address('Subnet that validates it; null as before.', nullable),
    vm_id: t.address('Virtual machine; null as before.', nullable),
    blockchain_status: t.text(
      'Validating, Syncing, Created, Preferred or Unknown; null where the job did not ask for it.',
      nullable,
    ),
  },
})
export type NodeBlockchain = RowOf<typeof nodeBlockchains>
