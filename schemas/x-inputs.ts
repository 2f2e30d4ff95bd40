import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { table } from './shared/table.ts'
import { signatureIndicesColumn, spentColumns } from './shared/transfer-columns.ts'
import { xTransactionColumns } from './shared/x-columns.ts'

const nullable = { nullable: true } as const

export const xInputs = table({
  name: 'x_inputs',
  comment:
    'One row per UTXO that an X-Chain transaction spends: first ordinary inputs, then imported ones, then those of operations.',
  key: ['network', 'blockchain_id', 'tx_id', 'input_index'],
  sortBy: ['height', 'tx_index', 'input_index'],
  partitionBy: [identity('network'), identity('blockchain_id'), month('block_time')],
  rowGroup: 'nested',
  columns: {
    ...xTransactionColumns,
    input_index: t.int64('Position among all UTXOs that the transaction spends.'),
    kind: t.text('transfer, import or operation.'),
    operation_index: t.int64('Index of the operation that spends it; null for ordinary and imported inputs.', nullable),
    ...spentColumns,
    amount: t.u64(
      'Amount in the least unit of the asset (AVAX: nAVAX); null for inputs of operations, which contain none.',
      nullable,
    ),
    ...signatureIndicesColumn,
  },
})
export type XInput = RowOf<typeof xInputs>
