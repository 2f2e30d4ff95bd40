import { identity, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { observationColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

export const nodeFees = table({
  name: 'node_fees',
  comment: 'Transaction fees of the X-Chain or another chain of the asset VM (xvm.getTxFee). One row per observation.',
  key: ['network', 'blockchain_id', 'observation_id'],
  sortBy: ['blockchain_id'],
  partitionBy: [identity('network')],
  history: 'observations',
  columns: {
    ...chainColumns,
    ...observationColumns,
    tx_fee: t.u64('Fee of a transaction, in the least unit of the fee asset (X-Chain: nAVAX).').at('txFee').unproven(),
    create_asset_tx_fee: t
      .u64('Fee of a transaction that creates an asset, in the least unit of the fee asset (X-Chain: nAVAX).')
      .at('createAssetTxFee')
      .unproven(),
  },
})
