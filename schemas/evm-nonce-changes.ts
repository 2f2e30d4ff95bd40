import { type RowOf, t } from '../src/define/index.ts'
import { evmTable, evmTransactionColumns, transactionPlace } from './shared/evm-columns.ts'
import { table } from './shared/table.ts'

export const evmNonceChanges = table({
  name: 'evm_nonce_changes',
  comment:
    'Changes of nonces on an EVM chain, from the prestate tracer of a node. A transaction has one row for each account whose nonce it changed: its sender, contracts that it created, and contracts that created others. Atomic exports of the C-Chain raise nonces too: no row shows them.',
  ...evmTable('transaction_index', 'address'),
  lasting: ['transaction_hash'],
  unproven: {
    partly: [...transactionPlace],
  },
  columns: {
    ...evmTransactionColumns,
    address: t.address('Address of the account.').partlyUnproven(),
    nonce_before: t
      .u64('Nonce before the transaction; 0 for an account that the transaction created.')
      .lasting()
      .partlyUnproven(),
    nonce_after: t
      .u64('Nonce after the transaction; 0 for an account that the transaction deleted.')
      .lasting()
      .partlyUnproven(),
  },
})
export type EvmNonceChange = RowOf<typeof evmNonceChanges>
