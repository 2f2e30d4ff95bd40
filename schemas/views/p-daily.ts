import { derivedView, viewColumn } from '../../src/define/index.ts'
import { pTransactions } from '../p-transactions.ts'
import { burnedAvaxColumns } from '../shared/avax-columns.ts'

const transaction = pTransactions.columns

export const pDaily = derivedView({
  name: 'p_daily',
  comment:
    'P-Chain transactions by network, UTC day and kind, including aborted proposals. Blocks without a time count for the day of the last committed time (p_block_times).',
  dependsOn: ['p_transactions', 'p_block_times'],
  columns: {
    network: viewColumn(transaction.network),
    day: { type: 'DATE', comment: 'Day in UTC; null before the first known time.' },
    tx_type: viewColumn(transaction.tx_type),
    transaction_count: { type: 'BIGINT', comment: 'Number of transactions.' },
    block_count: { type: 'BIGINT', comment: 'Number of blocks with these transactions.' },
    input_count: { type: 'BIGINT', comment: 'Number of inputs, including imported ones.' },
    output_count: { type: 'BIGINT', comment: 'Number of outputs, including stake and exported ones.' },
    burned: viewColumn(
      transaction.burned,
      'AVAX burned, in nAVAX; null where it is null for all of these transactions.',
    ),
    ...burnedAvaxColumns,
  },
})
