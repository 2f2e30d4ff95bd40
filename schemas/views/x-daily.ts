import { derivedView, viewColumn } from '../../src/define/index.ts'
import { xTransactions } from '../x-transactions.ts'

const transaction = xTransactions.columns

export const xDaily = derivedView({
  name: 'x_daily',
  comment:
    'X-chain transactions by network, chain, UTC day and kind. Transactions of the legacy index have no block time: they count for no day.',
  dependsOn: ['x_transactions'],
  columns: {
    network: viewColumn(transaction.network),
    blockchain_id: viewColumn(transaction.blockchain_id),
    day: { type: 'DATE', comment: 'Day in UTC; null for transactions of the legacy index.' },
    tx_type: viewColumn(transaction.tx_type),
    transaction_count: { type: 'BIGINT', comment: 'Transactions.' },
    block_count: { type: 'BIGINT', comment: 'Blocks that hold them; 0 for transactions of the legacy index.' },
    input_count: { type: 'BIGINT', comment: 'Inputs, imported ones and those of operations included.' },
    output_count: { type: 'BIGINT', comment: 'UTXOs produced, exported ones included.' },
    operation_count: { type: 'BIGINT', comment: 'Operations.' },
    burned: viewColumn(
      transaction.burned,
      'Native asset burned, in its least unit; null where the native asset is unknown.',
    ),
  },
})
