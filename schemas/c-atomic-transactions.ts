import { day, identity, type RowOf, t } from '../src/define/index.ts'
import { cAtomicColumns } from './shared/c-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const cAtomicTransactions = table({
  name: 'c_atomic_transactions',
  comment: 'One row per atomic transaction of the C chain: imports from and exports to the P and X chains.',
  key: ['network', 'blockchain_id', 'block_number', 'tx_index'],
  sortBy: ['block_number', 'tx_index'],
  partitionBy: [identity('network'), identity('blockchain_id'), day('block_time')],
  columns: {
    ...cAtomicColumns,
    tx_type: t.text('ImportTx or ExportTx.'),
    source_chain_id: t.address('Chain that is imported from.', nullable),
    destination_chain_id: t.address('Chain that is exported to.', nullable),
    burned: t.decimal38(
      'Native asset burned, in its least unit (1e9 wei): inputs - outputs; null when the native asset is unknown.',
      nullable,
    ),
    input_count: t.int64('Inputs.'),
    output_count: t.int64('Outputs.'),
    signature_count: t.int64('Signatures in all credentials.'),
  },
})
export type CAtomicTransaction = RowOf<typeof cAtomicTransactions>
