import { type RowOf, t } from '../src/define/index.ts'
import { evmTable, evmTransactionColumns, transactionPlace } from './shared/evm-columns.ts'
import { table } from './shared/table.ts'

export const evmCodeChanges = table({
  name: 'evm_code_changes',
  comment:
    'Changes of code on an EVM chain, from the prestate tracer of a node. A transaction has one row for each contract that it created or deleted.',
  ...evmTable('transaction_index', 'address'),
  lasting: ['transaction_hash'],
  rowGroup: 'raw',
  unproven: { partly: [...transactionPlace] },
  columns: {
    ...evmTransactionColumns,
    address: t.address('Address of the account.').partlyUnproven(),
    code_before: t.blob('Code before the transaction; empty for an account that had none.'),
    code_hash_before: t
      .address('Keccak-256 hash of code_before; for an account without code that of no bytes.')
      .lasting(),
    code_after: t.blob('Code after the transaction; empty for an account that it deleted.'),
    code_hash_after: t
      .address('Keccak-256 hash of code_after; for an account without code that of no bytes.')
      .lasting(),
  },
})
export type EvmCodeChange = RowOf<typeof evmCodeChanges>
