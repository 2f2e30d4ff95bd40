import { day, identity, type RowOf, t } from '../src/define/index.ts'
import { cAtomicColumns } from './shared/c-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const cAtomicTransactions = table({
  name: 'c_atomic_transactions',
  comment: 'One row per atomic transaction of the C-Chain: an import from the P- or X-Chain, or an export to it.',
  key: ['network', 'blockchain_id', 'block_number', 'tx_index'],
  sortBy: ['block_number', 'tx_index'],
  partitionBy: [identity('network'), identity('blockchain_id'), day('block_time')],
  columns: {
    ...cAtomicColumns,
    tx_type: t.text('ImportTx or ExportTx.'),
    source_chain_id: t.address('Id of the chain that an ImportTx imports from.', nullable),
    destination_chain_id: t.address('Id of the chain that an ExportTx exports to.', nullable),
    burned: t.decimal38(
      'AVAX burned, in nAVAX (1 nAVAX = 1e9 wei): inputs minus outputs; null when the native asset of the network is unknown.',
      nullable,
    ),
    input_count: t.int64('Number of inputs.'),
    output_count: t.int64('Number of outputs.'),
    signature_count: t.int64('Number of signatures in all credentials.'),
  },
})
export type CAtomicTransaction = RowOf<typeof cAtomicTransactions>
