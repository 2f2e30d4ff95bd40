import { type RowOf, t } from '../src/define/index.ts'
import { evmTable, evmTransactionColumns, transactionPlace } from './shared/evm-columns.ts'
import { table } from './shared/table.ts'

export const evmNonceChanges = table({
  name: 'evm_nonce_changes',
  comment:
    'Nonces that the transactions of an EVM chain changed, from the prestate tracer of a node. One row per transaction and account whose nonce differs: its sender, and contracts that it created or that created others. Atomic exports of the C-Chain raise nonces too: no row shows them.',
  ...evmTable('transaction_index', 'address'),
  unproven: {
    partly: [...transactionPlace, 'address', 'nonce_before', 'nonce_after'],
  },
  columns: {
    ...evmTransactionColumns,
    address: t.address('Address of the account.'),
    nonce_before: t.u64('Nonce before the transaction; 0 for an account that the transaction created.'),
    nonce_after: t.u64('Nonce after the transaction; 0 for an account that the transaction deleted.'),
  },
})
export type EvmNonceChange = RowOf<typeof evmNonceChanges>
