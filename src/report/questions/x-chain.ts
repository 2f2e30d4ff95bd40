import { count, cutTime, nanos, type QuestionGroup, text, time } from './question.ts'

export const xChain: QuestionGroup = {
  id: 'x',
  title: 'X chain',
  questions: [
    {
      id: 'x-kinds',
      title: 'Transactions by kind',
      says: 'Those of the legacy index included.',
      needs: ['x_transactions'],
      time: null,
      sql: ({ network }) => `SELECT tx_type, count(*) AS transactions, CAST(sum(burned) AS DECIMAL(38, 0)) AS burned
FROM x_transactions
WHERE network = ${network}
GROUP BY ALL
ORDER BY transactions DESC, tx_type`,
      columns: [text('tx_type', 'Kind'), count('transactions', 'Transactions'), nanos('burned', 'Burned')],
      picture: { kind: 'bars', label: 'tx_type', value: 'transactions' },
    },
    {
      id: 'x-activity',
      title: 'Transactions and what they burned',
      says: 'By the time of the block, which transactions of the legacy index do not have.',
      needs: ['x_transactions'],
      time: { from: 'x_transactions', column: 'block_time' },
      sql: ({ network, grain }) => `SELECT ${cutTime(grain, 'block_time')} AS period, count(*) AS transactions,
  CAST(sum(burned) AS DECIMAL(38, 0)) AS burned
FROM x_transactions
WHERE network = ${network} AND block_time IS NOT NULL
GROUP BY ALL
ORDER BY 1
LIMIT 3000`,
      columns: [time('period', 'Time'), count('transactions', 'Transactions'), nanos('burned', 'Burned')],
      picture: { kind: 'times', time: 'period', values: ['transactions', 'burned'] },
    },
    {
      id: 'x-assets',
      title: 'Assets created',
      says: 'By the time of the block that creates them.',
      needs: ['x_assets'],
      time: { from: 'x_assets', column: 'block_time' },
      sql: ({ network, grain }) => `SELECT ${cutTime(grain, 'block_time')} AS period, count(*) AS assets
FROM x_assets
WHERE network = ${network} AND block_time IS NOT NULL
GROUP BY ALL
ORDER BY 1
LIMIT 3000`,
      columns: [time('period', 'Time'), count('assets', 'Assets')],
      picture: { kind: 'times', time: 'period', values: ['assets'] },
    },
    {
      id: 'x-newest-assets',
      title: 'Newest assets',
      says: 'Names and symbols are as whoever created the asset chose them: several may have the same.',
      needs: ['x_assets'],
      time: null,
      sql: ({ network }) => `SELECT block_time AS created, name, symbol, initial_supply, denomination, asset_id
FROM x_assets
WHERE network = ${network}
ORDER BY block_time DESC NULLS LAST, asset_id
LIMIT 20`,
      columns: [
        time('created', 'Created'),
        text('name', 'Name'),
        text('symbol', 'Symbol'),
        count('initial_supply', 'Initial supply, least units'),
        count('denomination', 'Decimals'),
        text('asset_id', 'Asset'),
      ],
      picture: { kind: 'list' },
    },
  ],
}
