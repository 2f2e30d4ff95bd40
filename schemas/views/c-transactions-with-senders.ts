import { derivedView, type ViewColumn, viewColumn } from '../../src/define/index.ts'
import { cSenders } from '../c-senders.ts'
import { cTransactions } from '../c-transactions.ts'

type Names = keyof typeof cTransactions.columns

const transaction = Object.fromEntries(
  Object.entries(cTransactions.columns).map(([name, column]) => [name, viewColumn(column)]),
) as { [K in Names]: ViewColumn }

export const cTransactionsWithSenders = derivedView({
  name: 'c_transactions_with_senders',
  comment: 'One row per EVM transaction of the C-Chain, with its sender where it was recovered (--senders).',
  dependsOn: ['c_transactions', 'c_senders'],
  columns: {
    ...transaction,
    from_address: viewColumn(cSenders.columns.from_address, 'Sender; null where it was not recovered.'),
  },
})
