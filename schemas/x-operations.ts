import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { table } from './shared/table.ts'
import { xTransactionColumns } from './shared/x-columns.ts'

export const xOperations = table({
  name: 'x_operations',
  comment: 'One row per operation of an OperationTx of the X-Chain.',
  key: ['network', 'blockchain_id', 'tx_id', 'operation_index'],
  sortBy: ['height', 'tx_index', 'operation_index'],
  partitionBy: [identity('network'), identity('blockchain_id'), month('block_time')],
  columns: {
    ...xTransactionColumns,
    operation_index: t.int64('Position of the operation in the transaction.'),
    operation_type: t.text('mint, nft_mint, nft_transfer, property_mint or property_burn.'),
    fx_id: t.address('Id of the feature extension that defines the operation type.', { nullable: true }),
    asset_id: t.address('Asset of the operation.'),
  },
})
export type XOperation = RowOf<typeof xOperations>
