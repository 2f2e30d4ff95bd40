import { count, cutTime, type QuestionGroup, text, time } from './question.ts'

export const cChain: QuestionGroup = {
  id: 'c',
  title: 'C chain, from its containers',
  questions: [
    {
      id: 'c-activity',
      title: 'Blocks, transactions and gas',
      says: 'As the headers state it; from Helicon on the gas is a worst case, not what was used.',
      needs: ['c_blocks'],
      time: { from: 'c_blocks', column: 'block_time' },
      sql: ({ network, grain }) => `SELECT ${cutTime(grain, 'block_time')} AS period, count(*) AS blocks,
  CAST(sum(transaction_count) AS BIGINT) AS transactions, CAST(sum(atomic_transaction_count) AS BIGINT) AS atomic,
  sum(gas_used) AS gas
FROM c_blocks
WHERE network = ${network} AND block_time IS NOT NULL
GROUP BY ALL
ORDER BY 1
LIMIT 3000`,
      columns: [
        time('period', 'Time'),
        count('blocks', 'Blocks'),
        count('transactions', 'EVM transactions'),
        count('atomic', 'Atomic transactions'),
        count('gas', 'Gas'),
      ],
      picture: { kind: 'times', time: 'period', values: ['blocks', 'transactions', 'gas'] },
    },
    {
      id: 'c-kinds',
      title: 'Transactions by kind',
      says: 'EVM transactions by their type, and atomic ones, which import from other chains and export to them.',
      needs: ['c_transactions', 'c_atomic_transactions'],
      time: null,
      sql: ({ network }) => `SELECT tx_type, CAST(sum(transaction_count) AS BIGINT) AS transactions
FROM c_daily
WHERE network = ${network}
GROUP BY ALL
ORDER BY transactions DESC, tx_type`,
      columns: [text('tx_type', 'Kind'), count('transactions', 'Transactions')],
      picture: { kind: 'bars', label: 'tx_type', value: 'transactions' },
    },
  ],
}
