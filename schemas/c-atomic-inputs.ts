import { day, identity, type RowOf, t } from '../src/define/index.ts'
import { cAtomicColumns } from './shared/c-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const cAtomicInputs = table({
  name: 'c_atomic_inputs',
  comment: 'One row per input of an atomic transaction of the C-Chain: an imported UTXO, or a debit of an EVM account.',
  key: ['network', 'blockchain_id', 'block_number', 'tx_index', 'input_index'],
  sortBy: ['block_number', 'tx_index', 'input_index'],
  partitionBy: [identity('network'), identity('blockchain_id'), day('block_time')],
  rowGroup: 'nested',
  columns: {
    ...cAtomicColumns,
    input_index: t.int64('Position among the inputs of the transaction.'),
    kind: t.text('import (a UTXO from another chain) or evm (a debit of an account).'),
    source_tx_id: t.cb58('Transaction that created the imported UTXO; null for evm.', nullable),
    source_output_index: t.int64('Index of the imported UTXO; null for evm.', nullable),
    evm_address: t.address('Account that pays (0x address); null for import.', nullable),
    nonce: t.u64('Nonce of the account; null for import.', nullable),
    asset_id: t.address('Id of the asset.'),
    amount: t.u64('Amount in the least unit of the asset; for AVAX nAVAX (1 nAVAX = 1e9 wei).'),
    signature_indices: t.list(t.int64('Index.'), 'Indices of the owners that sign; null for evm.', nullable),
  },
})
export type CAtomicInput = RowOf<typeof cAtomicInputs>
