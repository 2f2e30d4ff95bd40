import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { table } from './shared/table.ts'
import { outputOwnerColumns } from './shared/transfer-columns.ts'
import { xTransactionColumns } from './shared/x-columns.ts'

const nullable = { nullable: true } as const

export const xOutputs = table({
  name: 'x_outputs',
  comment: 'One row per output (UTXO) of an X-Chain transaction.',
  key: ['network', 'blockchain_id', 'tx_id', 'output_index'],
  sortBy: ['height', 'tx_index', 'output_index'],
  partitionBy: [identity('network'), identity('blockchain_id'), month('block_time')],
  rowGroup: 'nested',
  columns: {
    ...xTransactionColumns,
    output_index: t.int64(
      'Index of the UTXO; initial, operation and exported outputs are numbered after the ordinary ones.',
    ),
    utxo_id: t.cb58('Id of the UTXO: sha256 of the index (u64) and the transaction id.'),
    kind: t.text('transfer, or export (the UTXO exists on the destination chain).'),
    origin: t.text('base, initial (of a created asset), operation or export.'),
    operation_index: t.int64('Index of the operation that creates it; null for other origins.', nullable),
    output_type: t.text('transfer, mint, nft_mint, nft_transfer, property_mint or property_owned.'),
    fx_id: t.address('Id of the feature extension that defines the output type.', { nullable: true }),
    fx_index: t.int64(
      'Index of the feature extension in the list of the chain, as in the initial state; null for other origins.',
      nullable,
    ),
    asset_id: t.address('Id of the asset.'),
    amount: t.u64('Amount in the least unit of the asset (AVAX: nAVAX); null where the output has none.', nullable),
    ...outputOwnerColumns,
    group_id: t.int64('Group of an NFT output; null for others.', nullable),
    payload: t.blob('Payload of an NFT; null for others.', nullable),
  },
})
export type XOutput = RowOf<typeof xOutputs>
