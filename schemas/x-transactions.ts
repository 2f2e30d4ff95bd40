import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { table } from './shared/table.ts'
import { xTransactionColumns } from './shared/x-columns.ts'

const nullable = { nullable: true } as const

export const xTransactions = table({
  name: 'x_transactions',
  comment: 'One row per transaction of the X-Chain, from its blocks or from the legacy transaction index (X/tx).',
  key: ['network', 'blockchain_id', 'tx_id'],
  sortBy: ['height', 'tx_index'],
  partitionBy: [identity('network'), identity('blockchain_id'), month('block_time')],
  columns: {
    ...xTransactionColumns,
    block_id: t.cb58('Id of the inner block; null in rows of the legacy index.', nullable),
    tx_type: t.text('BaseTx, CreateAssetTx, OperationTx, ImportTx or ExportTx.'),
    memo: t.blob('Memo.'),
    source_chain_id: t.address('Id of the chain that an ImportTx imports from.', nullable),
    destination_chain_id: t.address('Id of the chain that an ExportTx exports to.', nullable),
    burned: t.decimal38(
      'Native asset burned (X-Chain: AVAX, in nAVAX): inputs minus outputs of every kind, without amounts that operations mint; null when the native asset of the network is unknown.',
      nullable,
    ),
    input_count: t.int64('Number of inputs, including imported ones and those of operations.'),
    output_count: t.int64('Number of UTXOs created, including those of operations, initial states and exports.'),
    operation_count: t.int64('Number of operations.'),
    signature_count: t.int64('Number of signatures in all credentials.'),
    timestamp_source: t.text('block, or accepted (legacy index: there is no block time, only accepted_at).'),
    accepted_at: t.timestamp(
      'When the indexing node accepted the container (UTC). This is not the block time. Null when the block was read by RPC.',
      nullable,
    ),
    container_index: t.int64(
      'Position in the index of the node: of the block, or in the legacy index of the transaction. Null when the block was read by RPC.',
      nullable,
    ),
  },
})
export type XTransaction = RowOf<typeof xTransactions>
