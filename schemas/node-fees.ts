import { identity, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

export const nodeFees = table({
  name: 'node_fees',
  comment: 'The fees of a chain of the asset VM, of each time that a node was asked (xvm.getTxFee).',
  key: ['network', 'blockchain_id', 'observation_id'],
  sortBy: ['blockchain_id'],
  partitionBy: [identity('network')],
  history: 'observations',
  columns: {
    ...chainColumns,
    ...observationColumns,
    tx_fee: t.u64('Fee of a transaction, in the least unit of the fee asset.'),
    create_asset_tx_fee: t.u64('Fee of one that creates an asset.'),
  },
})
export type NodeFees = RowOf<typeof nodeFees>
