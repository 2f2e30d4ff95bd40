import { type RowOf, t } from '../src/define/index.ts'
import { evmTable, evmTransactionColumns, transactionPlace } from './shared/evm-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const evmBalanceChanges = table({
  name: 'evm_balance_changes',
  comment:
    'Changes of balances on an EVM chain, from the prestate tracer of a node. A transaction has one row for each account whose balance it changed. Atomic imports and exports of the C-Chain change balances after the transactions of a block: no row shows them.',
  ...evmTable('transaction_index', 'address'),
  lasting: ['transaction_hash'],
  unproven: {
    partly: [...transactionPlace],
  },
  columns: {
    ...evmTransactionColumns,
    address: t.address('Address of the account.').partlyUnproven(),
    balance_before: t
      .decimal38('Balance in wei before the transaction; null when it has more than 38 digits.', nullable)
      .partlyUnproven(),
    balance_before_raw: t
      .text('Balance in wei before the transaction, as text with all digits.')
      .lasting()
      .partlyUnproven(),
    balance_after: t
      .decimal38('Balance in wei after the transaction; null when it has more than 38 digits.', nullable)
      .partlyUnproven(),
    balance_after_raw: t
      .text('Balance in wei after the transaction, as text with all digits.')
      .lasting()
      .partlyUnproven(),
  },
})
export type EvmBalanceChange = RowOf<typeof evmBalanceChanges>
