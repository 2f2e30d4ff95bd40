import { type RowOf, t } from '../src/define/index.ts'
import { evmTable, evmTransactionColumns, transactionPlace } from './shared/evm-columns.ts'
import { table } from './shared/table.ts'

export const evmCodeChanges = table({
  name: 'evm_code_changes',
  comment:
    'Changes of code on an EVM chain, from the prestate tracer of a node. A transaction has one row for each contract that it created or deleted.',
  ...evmTable('transaction_index', 'address'),
  lasting: ['transaction_hash', 'code_hash_before', 'code_hash_after'],
  rowGroup: 'raw',
  unproven: { partly: [...transactionPlace, 'address'] },
  columns: {
    ...evmTransactionColumns,
    address: t.address('Address of the account.'),
    code_before: t.blob('Code before the transaction; empty for an account that had none.'),
    code_hash_before: t.address('Keccak-256 hash of code_before; for an account without code that of no bytes.'),
    code_after: t.blob('Code after the transaction; empty for an account that it deleted.'),
    code_hash_after: t.address('Keccak-256 hash of code_after; for an account without code that of no bytes.'),
  },
})
export type EvmCodeChange = RowOf<typeof evmCodeChanges>
