import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { table } from './shared/table.ts'
import { xTransactionColumns } from './shared/x-columns.ts'

const nullable = { nullable: true } as const

export const xTransactions = table({
  name: 'x_transactions',
  comment: 'One row per transaction of the X chain: from its blocks, or from the legacy transaction index.',
  key: ['network', 'blockchain_id', 'tx_id'],
  sortBy: ['height', 'tx_index'],
  partitionBy: [identity('network'), identity('blockchain_id'), month('block_time')],
  columns: {
    ...xTransactionColumns,
    block_id: t.cb58('Id of the inner block; null in rows of the legacy index.', nullable),
    tx_type: t.text('BaseTx, CreateAssetTx, OperationTx, ImportTx or ExportTx.'),
    memo: t.blob('Memo.'),
    source_chain_id: t.address('Chain that an ImportTx imports from.', nullable),
    destination_chain_id: t.address('Chain that an ExportTx exports to.', nullable),
    burned: t.decimal38(
      'Native asset burned, in its least unit: inputs - outputs of every kind (what operations mint aside); null when the native asset is unknown.',
      nullable,
    ),
    input_count: t.int64('Inputs, imported ones and those of operations included.'),
    output_count: t.int64('UTXOs produced, those of operations, initial states and exports included.'),
    operation_count: t.int64('Operations.'),
    signature_count: t.int64('Signatures in all credentials.'),
    timestamp_source: t.text('block, or accepted (legacy index: accepted_at is all that is known, and no block time).'),
    accepted_at: t.timestamp(
      'When the indexing node accepted the container (UTC): not a block time; null of a block that was read by RPC.',
      nullable,
    ),
    container_index: t.int64(
      'Position in the index of the node: of the block, or in the legacy index of the transaction; null of a block that was read by RPC.',
      nullable,
    ),
  },
})
export type XTransaction = RowOf<typeof xTransactions>
