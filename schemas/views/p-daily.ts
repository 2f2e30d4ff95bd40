import { derivedView, viewColumn } from '../../src/define/index.ts'
import { pTransactions } from '../p-transactions.ts'

const transaction = pTransactions.columns

export const pDaily = derivedView({
  name: 'p_daily',
  comment:
    'Transactions by network, UTC day and kind, aborted proposals included. Blocks without a time of their own count for the day of the last committed time (p_block_times).',
  dependsOn: ['p_transactions', 'p_block_times'],
  columns: {
    network: viewColumn(transaction.network),
    day: { type: 'DATE', comment: 'Day in UTC; null before the first known time.' },
    tx_type: viewColumn(transaction.tx_type),
    transaction_count: { type: 'BIGINT', comment: 'Transactions.' },
    block_count: { type: 'BIGINT', comment: 'Blocks that hold them.' },
    input_count: { type: 'BIGINT', comment: 'Inputs, imported ones included.' },
    output_count: { type: 'BIGINT', comment: 'Outputs, stake and exported ones included.' },
    burned: viewColumn(
      transaction.burned,
      'Native asset burned, in its least unit; null where none of the transactions states it.',
    ),
  },
})
