import { derivedView, viewColumn } from '../../src/define/index.ts'
import { cTransactions } from '../c-transactions.ts'
import { dayColumn } from '../shared/day-column.ts'

const transaction = cTransactions.columns

export const cDaily = derivedView({
  name: 'c_daily',
  comment:
    'EVM and atomic transactions of the C-Chain by network, UTC day and kind. Gas and fees are missing, because they are in receipts.',
  dependsOn: ['c_transactions', 'c_atomic_transactions'],
  columns: {
    network: viewColumn(transaction.network),
    blockchain_id: viewColumn(transaction.blockchain_id),
    day: dayColumn,
    tx_type: {
      type: 'VARCHAR',
      comment: 'legacy, access_list or dynamic_fee (EVM types 0, 1 and 2); ImportTx or ExportTx (atomic ones).',
    },
    transaction_count: { type: 'BIGINT', comment: 'Number of transactions.' },
    block_count: { type: 'BIGINT', comment: 'Number of blocks with these transactions.' },
  },
})
