import { count, cutTime, type QuestionGroup, text, time, weis } from './question.ts'

export const evm: QuestionGroup = {
  id: 'evm',
  title: 'EVM chains, by RPC',
  questions: [
    {
      id: 'evm-activity',
      title: 'Blocks and gas by chain',
      says: 'Of the blocks that the lake has: a range with a step leaves others out.',
      needs: ['evm_blocks'],
      time: { from: 'evm_blocks', column: 'block_time' },
      sql: ({
        network,
        grain,
      }) => `SELECT ${cutTime(grain, 'block_time')} AS period, chain_id AS chain, count(*) AS blocks,
  sum(gas_used) AS gas
FROM evm_blocks
WHERE network = ${network} AND block_time IS NOT NULL
GROUP BY ALL
ORDER BY 1, chain
LIMIT 6000`,
      columns: [time('period', 'Time'), text('chain', 'Chain'), count('blocks', 'Blocks'), count('gas', 'Gas')],
      picture: { kind: 'times', time: 'period', values: ['blocks', 'gas'], series: 'chain' },
    },
    {
      id: 'evm-fees',
      title: 'Transactions and fees by chain',
      says: 'The fee is the gas that a receipt states times its effective price, and the fee for L1 that it states; receipts without a price count as transactions only.',
      needs: ['evm_transactions'],
      time: { from: 'evm_transactions', column: 'block_time' },
      sql: ({
        network,
        grain,
      }) => `SELECT ${cutTime(grain, 'block_time')} AS period, chain_id AS chain, count(*) AS transactions,
  count(*) FILTER (WHERE status = 0) AS failed,
  CAST(sum(CAST(gas_used AS HUGEINT) * CAST(effective_gas_price AS HUGEINT) + coalesce(l1_fee, 0)::HUGEINT) AS VARCHAR) AS fees
FROM evm_transactions
WHERE network = ${network} AND block_time IS NOT NULL
GROUP BY ALL
ORDER BY 1, chain
LIMIT 6000`,
      columns: [
        time('period', 'Time'),
        text('chain', 'Chain'),
        count('transactions', 'Transactions'),
        count('failed', 'Failed'),
        weis('fees', 'Fees'),
      ],
      picture: { kind: 'times', time: 'period', values: ['transactions', 'fees'], series: 'chain' },
    },
    {
      id: 'evm-transfers',
      title: 'Token transfers by contract',
      says: 'Transfers that logs tell of, of whatever standard; contracts may log what they like.',
      needs: ['evm_token_transfers'],
      time: null,
      sql: ({ network }) => `SELECT token_address AS token, chain_id AS chain, standard, count(*) AS transfers,
  min(block_time) AS first, max(block_time) AS last
FROM evm_token_transfers
WHERE network = ${network}
GROUP BY ALL
ORDER BY transfers DESC, token, chain, standard
LIMIT 50`,
      columns: [
        text('token', 'Contract'),
        text('chain', 'Chain'),
        text('standard', 'Standard'),
        count('transfers', 'Transfers'),
        time('first', 'First'),
        time('last', 'Last'),
      ],
      picture: { kind: 'bars', label: 'token', value: 'transfers' },
    },
  ],
}
