import { derivedView, viewColumn } from '../../src/define/index.ts'
import { burnedAvaxColumns } from '../shared/avax-columns.ts'
import { xTransactions } from '../x-transactions.ts'

const transaction = xTransactions.columns

export const xDaily = derivedView({
  name: 'x_daily',
  comment:
    'X-Chain transactions by network, chain, UTC day and kind. Transactions of the legacy index have no block time: their day is null.',
  dependsOn: ['x_transactions', 'chains'],
  columns: {
    network: viewColumn(transaction.network),
    blockchain_id: viewColumn(transaction.blockchain_id),
    day: { type: 'DATE', comment: 'Day in UTC; null for transactions of the legacy index.' },
    tx_type: viewColumn(transaction.tx_type),
    transaction_count: { type: 'BIGINT', comment: 'Number of transactions.' },
    block_count: {
      type: 'BIGINT',
      comment: 'Number of blocks with these transactions; 0 for transactions of the legacy index.',
    },
    input_count: { type: 'BIGINT', comment: 'Number of inputs, including imported ones and those of operations.' },
    output_count: { type: 'BIGINT', comment: 'Number of UTXOs created, including exported ones.' },
    operation_count: { type: 'BIGINT', comment: 'Number of operations.' },
    burned: viewColumn(
      transaction.burned,
      'Native asset burned in its least unit (X-Chain: AVAX, in nAVAX); null where the native asset is unknown.',
    ),
    burned_avax: {
      ...burnedAvaxColumns.burned_avax,
      comment: 'The same in AVAX, exact; null for other chains of the same virtual machine.',
    },
  },
})
