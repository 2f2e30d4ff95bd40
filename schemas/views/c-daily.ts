import { derivedView, viewColumn } from '../../src/define/index.ts'
import { cTransactions } from '../c-transactions.ts'

const transaction = cTransactions.columns

export const cDaily = derivedView({
  name: 'c_daily',
  comment:
    'Transactions of the C chain by network, UTC day and kind, EVM and atomic ones. Gas and fees are not here: what was used stands in receipts.',
  dependsOn: ['c_transactions', 'c_atomic_transactions'],
  columns: {
    network: viewColumn(transaction.network),
    blockchain_id: viewColumn(transaction.blockchain_id),
    day: { type: 'DATE', comment: 'Day in UTC.' },
    tx_type: {
      type: 'VARCHAR',
      comment: 'legacy, access_list or dynamic_fee (EVM types 0, 1 and 2); ImportTx or ExportTx (atomic ones).',
    },
    transaction_count: { type: 'BIGINT', comment: 'Transactions.' },
    block_count: { type: 'BIGINT', comment: 'Blocks that hold them.' },
  },
})
