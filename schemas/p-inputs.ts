import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { pTransactionColumns } from './shared/p-transaction-columns.ts'
import { table } from './shared/table.ts'
import { signatureIndicesColumn, spentColumns, stakeableLocktimeColumn } from './shared/transfer-columns.ts'

export const pInputs = table({
  name: 'p_inputs',
  comment: 'One row per input of a P-Chain transaction: first ordinary inputs, then imported ones.',
  key: ['network', 'height', 'tx_index', 'input_index'],
  sortBy: ['height', 'tx_index', 'input_index'],
  partitionBy: [identity('network'), month('block_time')],
  rowGroup: 'nested',
  columns: {
    ...pTransactionColumns,
    input_index: t.int64(
      'Position among the inputs of the transaction; imported inputs are numbered after the ordinary ones.',
    ),
    kind: t.text('transfer or import.'),
    ...spentColumns,
    amount: t.u64('Amount in the least unit of the asset (AVAX: nAVAX).'),
    ...stakeableLocktimeColumn,
    ...signatureIndicesColumn,
  },
})
export type PInput = RowOf<typeof pInputs>
