import { count, cutTime, decimal, nanos, type QuestionGroup, text, time } from './question.ts'

export const service: QuestionGroup = {
  id: 'service',
  title: 'REST service',
  questions: [
    {
      id: 'rest-rewards',
      title: 'Staking rewards paid',
      says: 'Rewards that the service lists, by the end of the staking period. Each reward counts once, in whatever currencies it was requested.',
      needs: ['rest_rewards'],
      time: { from: 'rest_rewards', column: 'end_time' },
      sql: ({
        network,
        grain,
      }) => `SELECT ${cutTime(grain, 'end_time')} AS period, reward_type AS kind, count(*) AS rewards,
  CAST(sum(amount) AS DECIMAL(38, 0)) AS amount
FROM (SELECT DISTINCT utxo_id, end_time, reward_type, amount FROM rest_rewards WHERE network = ${network})
GROUP BY ALL
ORDER BY 1, kind
LIMIT 6000`,
      columns: [time('period', 'Time'), text('kind', 'Kind'), count('rewards', 'Rewards'), nanos('amount', 'Amount')],
      picture: { kind: 'times', time: 'period', values: ['amount', 'rewards'], series: 'kind' },
    },
    {
      id: 'rest-reward-worth',
      title: 'What the rewards were worth',
      says: 'By currency, at the price of the day that the service gives; rounded as it rounds.',
      needs: ['rest_rewards'],
      time: { from: 'rest_rewards', column: 'end_time' },
      sql: ({ network, grain }) => `SELECT ${cutTime(grain, 'end_time')} AS period, price_currency AS currency,
  round(sum(amount * price / power(10, asset_denomination)), 2) AS worth
FROM rest_rewards
WHERE network = ${network} AND price IS NOT NULL AND price_currency IS NOT NULL
GROUP BY ALL
ORDER BY 1, currency
LIMIT 6000`,
      columns: [time('period', 'Time'), text('currency', 'Currency'), decimal('worth', 'Worth')],
      picture: { kind: 'times', time: 'period', values: ['worth'], series: 'currency' },
    },
    {
      id: 'rest-transfers',
      title: 'ERC-20 transfers by token',
      says: 'Symbols are as the contract chose them: several may have the same. If one contract had several, the report shows the alphabetically last one.',
      needs: ['rest_erc20_transfers'],
      time: null,
      // The query counts receivers by grouping, because a count of distinct addresses does not spill to disk.
      sql: ({
        network,
      }) => `SELECT coalesce(max(symbol), token_address) AS symbol, token_address AS token, chain_id AS chain,
  CAST(sum(transfers) AS BIGINT) AS transfers, count(to_address) AS receivers, max(last) AS last
FROM (
  SELECT token_address, chain_id, to_address, max(token_symbol) AS symbol, count(*) AS transfers,
    max(block_time) AS last
  FROM rest_erc20_transfers
  WHERE network = ${network}
  GROUP BY token_address, chain_id, to_address
)
GROUP BY token_address, chain_id
ORDER BY transfers DESC, token, chain
LIMIT 50`,
      columns: [
        text('symbol', 'Symbol'),
        text('token', 'Contract'),
        text('chain', 'Chain'),
        count('transfers', 'Transfers'),
        count('receivers', 'Receivers'),
        time('last', 'Last'),
      ],
      picture: { kind: 'bars', label: 'symbol', value: 'transfers' },
    },
    {
      id: 'holders',
      title: 'Largest holders',
      says: 'The three largest of each of the ten tokens with most holders, in least units, as the metrics host last listed them.',
      needs: ['metrics_token_holders', 'observations'],
      time: null,
      sql: ({ network }) => `SELECT token_address AS token, chain_id AS chain, holders, address, balance_raw AS balance
FROM (
  SELECT *, count(*) OVER (PARTITION BY chain_id, token_address) AS holders,
    row_number() OVER (PARTITION BY chain_id, token_address ORDER BY balance DESC NULLS FIRST, balance_raw DESC, address) AS place
  FROM metrics_token_holders_latest
  WHERE network = ${network}
)
WHERE place <= 3
ORDER BY holders DESC, chain_id, token_address, place
LIMIT 30`,
      columns: [
        text('token', 'Contract'),
        text('chain', 'Chain'),
        count('holders', 'Holders'),
        text('address', 'Holder'),
        count('balance', 'Balance, least units'),
      ],
      picture: { kind: 'list' },
    },
    {
      id: 'tps',
      title: 'Transactions a second',
      says: 'On average over a day, as the metrics host rounds it.',
      needs: ['metrics_chain_tps'],
      time: null,
      sql: ({ network }) => `SELECT point_time AS day, chain_id AS chain, metric_value AS tps
FROM metrics_chain_tps_latest
WHERE network = ${network}
ORDER BY day DESC, chain
LIMIT 3000`,
      columns: [time('day', 'Day'), text('chain', 'Chain'), decimal('tps', 'Transactions a second')],
      picture: { kind: 'lines', time: 'day', value: 'tps', series: 'chain' },
    },
  ],
}
