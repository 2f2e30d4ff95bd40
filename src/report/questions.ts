import { sqlText } from '../lib/text.ts'
import { workLogSql } from './page-data.ts'
import {
  type Asking,
  bytes,
  count,
  cutTime,
  decimal,
  nanos,
  type Question,
  type QuestionGroup,
  seconds,
  text,
  time,
  weis,
} from './question.ts'

const primaryNetwork = '11111111111111111111111111111111LpoYY'
const times = { from: 'p_blocks', column: 'block_time' }
const untimed = 'Blocks from before Banff that state no time are left out.'

/** The transactions of the P- or the X-Chain by kind. */
function kindsOf(chain: 'p' | 'x', says: string): Question {
  return {
    id: `${chain}-kinds`,
    title: 'Transactions by kind',
    says,
    time: null,
    sql: ({ network }) => `SELECT tx_type, count(*) AS transactions, CAST(sum(burned) AS DECIMAL(38, 0)) AS burned
FROM ${chain}_transactions
WHERE network = ${network}
GROUP BY ALL
ORDER BY transactions DESC, tx_type`,
    columns: [text('tx_type', 'Kind'), count('transactions', 'Transactions'), nanos('burned', 'Burned')],
    picture: { kind: 'bars', label: 'tx_type', value: 'transactions' },
  }
}

const allChains: QuestionGroup = {
  id: 'chains',
  title: 'All chains',
  questions: [
    {
      id: 'chains-days',
      title: 'Transactions and burned fees by chain',
      says: 'The last 90 days. What the C chain burned is known where the lake has its blocks by RPC; other EVM chains do not say.',
      time: null,
      sql: ({ network, since }) => `SELECT CAST(day AS TIMESTAMP) AS day, chain, transaction_count AS transactions,
  CAST(burned_in_tokens AS DOUBLE) AS burned
FROM chain_daily
WHERE network = ${network} AND day > ${since}
ORDER BY day DESC, chain
LIMIT 6000`,
      columns: [
        time('day', 'Day'),
        text('chain', 'Chain'),
        count('transactions', 'Transactions'),
        decimal('burned', 'Burned, AVAX'),
      ],
      picture: { kind: 'times', time: 'day', values: ['transactions', 'burned'], series: 'chain' },
    },
  ],
}

export const pChain: QuestionGroup = {
  id: 'p',
  title: 'P chain',
  questions: [
    kindsOf('p', 'Accepted transactions; proposals count whether or not they were committed.'),
    {
      id: 'p-activity',
      title: 'Blocks, transactions and what they burned',
      says: `Counted by the time of the block. ${untimed}`,
      time: times,
      // The query counts blocks by grouping, because a count of distinct heights does not spill to disk.
      sql: (about) => `SELECT period, count(*) AS blocks, CAST(sum(transactions) AS BIGINT) AS transactions,
  CAST(sum(burned) AS DECIMAL(38, 0)) AS burned
FROM (
  SELECT ${cutTime(about.grain, 'block_time')} AS period, height, count(*) AS transactions, sum(burned) AS burned
  FROM p_transactions
  WHERE network = ${about.network} AND block_time IS NOT NULL
  GROUP BY ALL
)
GROUP BY ALL
ORDER BY 1
LIMIT 3000`,
      columns: [
        time('period', 'Time'),
        count('blocks', 'Blocks'),
        count('transactions', 'Transactions'),
        nanos('burned', 'Burned'),
      ],
      picture: { kind: 'times', time: 'period', values: ['transactions', 'burned'] },
    },
    {
      id: 'p-stake',
      title: 'Stake started and ended',
      says: 'The stakes of p_stakers on the primary network: a stake begins as its transaction says, and ends when a reward transaction released it, whether or not the reward was paid. Proposals that were aborted started none. Stakes that ended point down.',
      time: times,
      // The same rows as in p_stakers, which takes five times as long: it also finds the ends of stakes on subnets.
      sql: ({ network, grain }) => `WITH decided AS MATERIALIZED (
  SELECT tx_id, staked_tx_id, block_time, outcome, stake_ended
  FROM p_proposals
  WHERE network = ${network}
), staking AS MATERIALIZED (
  SELECT tx_id, start_time, end_time, weight
  FROM p_validations
  WHERE network = ${network} AND action IN ('add', 'delegate') AND subnet_id = '${primaryNetwork}'
)
SELECT ${cutTime(grain, 'event_time')} AS period, event, count(*) AS stakes, CAST(sum(weight) AS DECIMAL(38, 0)) AS staked
FROM (
  SELECT start_time AS event_time, 'started' AS event, weight
  FROM staking
  ANTI JOIN (FROM decided WHERE outcome IS DISTINCT FROM 'committed') USING (tx_id)
  UNION ALL
  SELECT coalesce(staking.end_time, decided.block_time), 'ended', staking.weight
  FROM decided
  JOIN staking ON staking.tx_id = decided.staked_tx_id
  WHERE decided.stake_ended
)
WHERE event_time IS NOT NULL
GROUP BY ALL
ORDER BY 1, event DESC
LIMIT 6000`,
      columns: [time('period', 'Time'), text('event', 'Event'), count('stakes', 'Stakes'), nanos('staked', 'Amount')],
      picture: { kind: 'times', time: 'period', values: ['staked', 'stakes'], series: 'event', below: 'ended' },
    },
    {
      id: 'p-rewards',
      title: 'Rewards paid and refused',
      says: 'Reward transactions by how the network voted. The amounts are in no container; the section on the service has those that it lists.',
      time: times,
      sql: ({ network, grain }) => `SELECT ${cutTime(grain, 'block_time')} AS period,
  CASE outcome WHEN 'committed' THEN 'paid' WHEN 'aborted' THEN 'refused' ELSE 'not decided yet' END AS outcome,
  count(*) AS rewards
FROM p_rewards
WHERE network = ${network} AND block_time IS NOT NULL
GROUP BY ALL
ORDER BY 1, outcome
LIMIT 6000`,
      columns: [time('period', 'Time'), text('outcome', 'Outcome'), count('rewards', 'Reward transactions')],
      picture: { kind: 'times', time: 'period', values: ['rewards'], series: 'outcome' },
    },
    {
      id: 'p-chains',
      title: 'Newest chains',
      says: 'Names are as whoever created the chain chose them: several may have the same.',
      time: null,
      sql: (
        about,
      ) => `SELECT block_time AS created, blockchain_name AS name, tx_id AS chain, subnet_id AS subnet, vm_id AS vm
FROM p_transactions
WHERE network = ${about.network} AND tx_type = 'CreateChainTx'
ORDER BY height DESC, tx_index DESC
LIMIT 20`,
      columns: [
        time('created', 'Created'),
        text('name', 'Name'),
        text('chain', 'Chain'),
        text('subnet', 'Subnet'),
        text('vm', 'Virtual machine'),
      ],
      picture: { kind: 'list' },
    },
    {
      id: 'p-payments',
      title: 'Largest payments',
      says: 'Of the last 90 days: outputs to others than the owners of the inputs, also exports. Those of inputs with unknown owners are left out.',
      time: null,
      sql: (about) => `SELECT tx_id AS "transaction", CAST(paid AS DECIMAL(38, 0)) AS paid, kind, block_time AS paid_at
FROM p_payments
WHERE network = ${about.network} AND block_time > ${about.since} AND paid IS NOT NULL
ORDER BY paid DESC, tx_id, output_index
LIMIT 20`,
      columns: [
        text('transaction', 'Transaction'),
        nanos('paid', 'Paid'),
        text('kind', 'Kind'),
        time('paid_at', 'Time'),
      ],
      picture: { kind: 'bars', label: 'transaction', value: 'paid' },
    },
    {
      id: 'p-l1s',
      title: 'L1s by validators now',
      says: 'As of the newest block: a validator without balance counts until a transaction disables it.',
      time: null,
      sql: (
        about,
      ) => `SELECT coalesce(blockchain_names[1], subnet_id) AS name, validator_count AS validators, l1_state AS state,
  conversion_time AS converted, subnet_id AS subnet
FROM l1s
WHERE network = ${about.network}
ORDER BY validators DESC, subnet
LIMIT 200`,
      columns: [
        text('name', 'First chain'),
        count('validators', 'Validators'),
        text('state', 'State'),
        time('converted', 'Became an L1'),
        text('subnet', 'Subnet'),
      ],
      picture: { kind: 'bars', label: 'name', value: 'validators' },
    },
    {
      id: 'p-l1-validators',
      title: 'L1 validators now',
      says: 'By subnet, as the node last listed them. The balance pays for being a validator.',
      time: null,
      sql: ({ network }) => `SELECT subnet_id, count(*) AS validators, CAST(sum(balance) AS DECIMAL(38, 0)) AS balance,
  CAST(sum(weight) AS DECIMAL(38, 0)) AS weight
FROM node_l1_validators_latest
WHERE network = ${network}
GROUP BY ALL
ORDER BY validators DESC, subnet_id
LIMIT 200`,
      columns: [
        text('subnet_id', 'Subnet'),
        count('validators', 'Validators'),
        nanos('balance', 'Balance'),
        count('weight', 'Weight'),
      ],
      picture: { kind: 'bars', label: 'subnet_id', value: 'validators' },
    },
    {
      id: 'p-validators',
      title: 'Largest validators now',
      says: 'Of the primary network, by own stake and what is delegated to them: as a node last listed them, otherwise as of the newest block.',
      time: null,
      sql: ({ network }) => `SELECT node_id, CAST(stake + delegated AS DECIMAL(38, 0)) AS total, stake AS own, delegated
FROM validators_now
WHERE network = ${network} AND subnet_id = '${primaryNetwork}'
ORDER BY total DESC, node_id
LIMIT 20`,
      columns: [
        text('node_id', 'Node'),
        nanos('total', 'Together'),
        nanos('own', 'Own stake'),
        nanos('delegated', 'Delegated'),
      ],
      picture: { kind: 'bars', label: 'node_id', value: 'total' },
    },
  ],
}

export const xChain: QuestionGroup = {
  id: 'x',
  title: 'X chain',
  questions: [
    kindsOf('x', 'Those of the legacy index included.'),
    {
      id: 'x-activity',
      title: 'Transactions and what they burned',
      says: 'By the time of the block, which transactions of the legacy index do not have.',
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

const cChain: QuestionGroup = {
  id: 'c',
  title: 'C chain, from its containers',
  questions: [
    {
      id: 'c-activity',
      title: 'Blocks, transactions and gas',
      says: 'As the headers state it; from Helicon on the gas is a worst case, not what was used.',
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

export const evm: QuestionGroup = {
  id: 'evm',
  title: 'EVM chains, by RPC',
  questions: [
    {
      id: 'evm-activity',
      title: 'Blocks and gas by chain',
      says: 'Of the blocks that the lake has: a range with a step leaves others out.',
      time: { from: 'evm_blocks', column: 'block_time' },
      sql: (about) => `SELECT ${cutTime(about.grain, 'block_time')} AS period, chain_id AS chain, count(*) AS blocks,
  sum(gas_used) AS gas
FROM evm_blocks
WHERE network = ${about.network} AND block_time IS NOT NULL
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
      time: { from: 'evm_transactions', column: 'block_time' },
      sql: (
        about,
      ) => `SELECT ${cutTime(about.grain, 'block_time')} AS period, chain_id AS chain, count(*) AS transactions,
  count(*) FILTER (WHERE status = 0) AS failed,
  CAST(sum(CAST(gas_used AS HUGEINT) * CAST(effective_gas_price AS HUGEINT) + coalesce(l1_fee, 0)::HUGEINT) AS VARCHAR) AS fees
FROM evm_transactions
WHERE network = ${about.network} AND block_time IS NOT NULL
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

export const service: QuestionGroup = {
  id: 'service',
  title: 'REST service',
  questions: [
    {
      id: 'rest-rewards',
      title: 'Staking rewards paid',
      says: 'Rewards that the service lists, by the end of the staking period. Each reward counts once, in whatever currencies it was requested.',
      time: { from: 'rest_rewards', column: 'end_time' },
      sql: (about) => `SELECT ${cutTime(about.grain, 'end_time')} AS period, reward_type AS kind, count(*) AS rewards,
  CAST(sum(amount) AS DECIMAL(38, 0)) AS amount
FROM (SELECT DISTINCT utxo_id, end_time, reward_type, amount FROM rest_rewards WHERE network = ${about.network})
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
      time: null,
      // The query counts receivers by grouping, because a count of distinct addresses does not spill to disk.
      sql: (about) => `SELECT coalesce(max(symbol), token_address) AS symbol, token_address AS token, chain_id AS chain,
  CAST(sum(transfers) AS BIGINT) AS transfers, count(to_address) AS receivers, max(last) AS last
FROM (
  SELECT token_address, chain_id, to_address, max(token_symbol) AS symbol, count(*) AS transfers,
    max(block_time) AS last
  FROM rest_erc20_transfers
  WHERE network = ${about.network}
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
      time: null,
      sql: ({ network }) => `SELECT point_time AS day, chain_id AS chain, metric_value AS tps
FROM metrics_chain_tps_latest
WHERE network = ${network}
ORDER BY day DESC, chain
LIMIT 3000`,
      columns: [time('day', 'Day'), text('chain', 'Chain'), decimal('tps', 'Transactions a second')],
      picture: { kind: 'lines', time: 'day', values: ['tps'], series: 'chain' },
    },
  ],
}

/** The values that the SQL of questions about the catalog contains, for all networks together. */
type AboutWork = Pick<Asking, 'grain'>

/** Files that were written with new rows. Merged files are left out: their rows came with other files. */
const written = `catalog.main.ducklake_data_file AS file
JOIN catalog.main.ducklake_snapshot AS snapshot ON snapshot.snapshot_id = file.begin_snapshot
JOIN catalog.main.ducklake_table AS "table" ON "table".table_id = file.table_id AND "table".end_snapshot IS NULL
WHERE file.data_file_id NOT IN (SELECT data_file_id FROM catalog.chainlake.compacted_file)`

const snapshots = { from: 'catalog.main.ducklake_snapshot', column: 'snapshot_time' }
/** Number of tables that have a colour of their own in a picture. */
const ownColours = 6
const otherTables = 'other tables'

const growthBy = (measure: 'record_count' | 'file_size_bytes', name: string, { grain }: AboutWork): string =>
  `WITH added AS (
  SELECT ${cutTime(grain, 'snapshot.snapshot_time')} AS period, "table".table_name AS name, file.${measure} AS measure
  FROM ${written.replaceAll('\n', '\n  ')}
), largest AS (
  SELECT name FROM added GROUP BY ALL ORDER BY sum(measure) DESC, name LIMIT ${ownColours}
)
SELECT period, CASE WHEN name IN (FROM largest) THEN name ELSE ${sqlText(otherTables)} END AS "table",
  CAST(sum(measure) AS BIGINT) AS ${name}
FROM added
GROUP BY ALL
ORDER BY 1, 3 DESC, 2
LIMIT 6000`

export const growth: readonly Question<AboutWork>[] = [
  {
    id: 'growth-rows',
    title: 'Rows committed',
    says: 'By the time of the commit. What was merged later does not count again; what expired does not count any more.',
    time: snapshots,
    sql: (about) => growthBy('record_count', '"rows"', about),
    columns: [time('period', 'Time'), text('table', 'Table'), count('rows', 'Rows')],
    picture: { kind: 'times', time: 'period', values: ['rows'], series: 'table', rest: otherTables },
  },
  {
    id: 'growth-bytes',
    title: 'Bytes committed',
    says: 'Of the same data files, as they were written.',
    time: snapshots,
    sql: (about) => growthBy('file_size_bytes', 'bytes', about),
    columns: [time('period', 'Time'), text('table', 'Table'), bytes('bytes', 'Size')],
    picture: { kind: 'times', time: 'period', values: ['bytes'], series: 'table', rest: otherTables },
  },
  {
    id: 'tables',
    title: 'What each table holds',
    says: 'Data files that are visible now.',
    time: null,
    sql: () => `SELECT "table".table_name AS "table", CAST(sum(file.record_count) AS BIGINT) AS "rows",
  CAST(sum(file.file_size_bytes) AS BIGINT) AS bytes, count(*) AS files
FROM catalog.main.ducklake_data_file AS file
JOIN catalog.main.ducklake_table AS "table" ON "table".table_id = file.table_id AND "table".end_snapshot IS NULL
WHERE file.end_snapshot IS NULL
GROUP BY ALL
ORDER BY bytes DESC, 1`,
    columns: [text('table', 'Table'), count('rows', 'Rows'), bytes('bytes', 'Size'), count('files', 'Files')],
    picture: { kind: 'bars', label: 'table', value: 'bytes' },
  },
  {
    id: 'file-sizes',
    title: 'Files by size',
    says: 'Many small files make queries slow; chainlake compact merges them.',
    time: null,
    sql: () => `SELECT CASE WHEN file_size_bytes < 10000 THEN 'below 10 kB' WHEN file_size_bytes < 100000 THEN '10 to 100 kB'
    WHEN file_size_bytes < 1000000 THEN '100 kB to 1 MB' WHEN file_size_bytes < 10000000 THEN '1 to 10 MB'
    WHEN file_size_bytes < 100000000 THEN '10 to 100 MB' ELSE '100 MB and more' END AS size,
  count(*) AS files, CAST(sum(file_size_bytes) AS BIGINT) AS bytes
FROM catalog.main.ducklake_data_file
WHERE end_snapshot IS NULL
GROUP BY ALL
ORDER BY min(file_size_bytes)`,
    columns: [text('size', 'File size'), count('files', 'Files'), bytes('bytes', 'Together')],
    picture: { kind: 'bars', label: 'size', value: 'files' },
  },
]

/** Questions about the work log, by the path of the log. */
export const efforts: readonly Question<AboutWork & { readonly log: string }>[] = [
  {
    id: 'hosts',
    title: 'Requests, waits and refusals by host',
    says: 'For all recorded commands: requests, retries included, and requests that a host refused because there were too many.',
    time: null,
    sql: (
      about,
    ) => `SELECT host.host AS host, CAST(sum(host.requests) AS BIGINT) AS requests, CAST(sum(host.units) AS BIGINT) AS units,
  CAST(sum(host.retries) AS BIGINT) AS retries, CAST(sum(host.refusals) AS BIGINT) AS refusals,
  round(sum(host.waitSeconds), 1) AS waited
FROM (
  SELECT unnest(hosts) AS host
  FROM ${workLogSql(about.log)}
)
GROUP BY ALL
ORDER BY requests DESC, 1
LIMIT 100`,
    columns: [
      text('host', 'Host'),
      count('requests', 'Requests'),
      count('units', 'Units'),
      count('retries', 'Tried again'),
      count('refusals', 'Refused'),
      seconds('waited', 'Waited'),
    ],
    picture: { kind: 'bars', label: 'host', value: 'requests' },
  },
  {
    id: 'efforts',
    title: 'Seconds of commits and publications, and lag',
    says: 'By when a command ended. The lag is the number of records that were missing in its ranges when it began.',
    time: null,
    sql: (
      about,
    ) => `SELECT date_trunc('minute', ended) AS period, count(*) AS commands, round(sum(commitSeconds), 3) AS "commit seconds",
  round(sum(publicationSeconds), 3) AS "publication seconds", CAST(sum(commits) AS BIGINT) AS commits,
  CAST(sum(publications) AS BIGINT) AS publications, CAST(max(lag) AS BIGINT) AS lag
FROM ${workLogSql(about.log)}
GROUP BY ALL
ORDER BY 1 DESC
LIMIT 300`,
    columns: [
      time('period', 'Ended'),
      count('commands', 'Commands'),
      seconds('commit seconds', 'Commits took'),
      seconds('publication seconds', 'Publications took'),
      count('commits', 'Commits'),
      count('publications', 'Publications'),
      count('lag', 'Lag, records'),
    ],
    picture: { kind: 'lines', time: 'period', values: ['commit seconds', 'publication seconds', 'lag'] },
  },
]

export const work: readonly Question<AboutWork>[] = [
  {
    id: 'commits',
    title: 'Commits',
    says: 'Each makes a snapshot, which readers see when it is published.',
    time: snapshots,
    sql: ({ grain }) => `SELECT ${cutTime(grain, 'snapshot_time')} AS period, count(*) AS commits
FROM catalog.main.ducklake_snapshot
WHERE snapshot_id > 0
GROUP BY ALL
ORDER BY 1
LIMIT 3000`,
    columns: [time('period', 'Time'), count('commits', 'Commits')],
    picture: { kind: 'times', time: 'period', values: ['commits'] },
  },
  {
    id: 'runs',
    title: 'The last runs',
    says: 'How each ended, as of this snapshot: the run that published it had not ended yet then.',
    time: null,
    sql: () => `SELECT started AT TIME ZONE 'UTC' AS started, round(epoch(ended - started), 1) AS seconds,
  coalesce(outcome, 'not ended') AS outcome, command, len(streams) AS streams, left(streams[1], 200) AS "first stream"
FROM catalog.chainlake.run
ORDER BY run_id DESC
LIMIT 50`,
    columns: [
      time('started', 'Started'),
      seconds('seconds', 'Took'),
      text('outcome', 'Outcome'),
      text('command', 'Command'),
      count('streams', 'Streams'),
      text('first stream', 'First stream'),
    ],
    picture: { kind: 'list' },
  },
  {
    id: 'pace',
    title: 'What jobs took',
    says: 'When each was last run to its end: records of ranges, requests of lists.',
    time: null,
    sql: () => `SELECT job, pipeline, epoch_ms(ended_ms) AS ended, duration_ms / 1000 AS seconds, record_count AS records,
  request_count AS requests
FROM catalog.chainlake.measure
ORDER BY duration_ms DESC, job, pipeline
LIMIT 200`,
    columns: [
      text('job', 'Job'),
      text('pipeline', 'Pipeline'),
      time('ended', 'Ended'),
      seconds('seconds', 'Took'),
      count('records', 'Records'),
      count('requests', 'Requests'),
    ],
    picture: { kind: 'bars', label: 'job', value: 'seconds' },
  },
  {
    id: 'budget',
    title: 'Budget of services',
    says: 'Compute units that were taken from the day of each host, with and without a key; of hosts that grant no number of units a day nothing is counted.',
    time: { from: 'catalog.chainlake.spent_units', column: 'epoch_ms(period_ms)' },
    sql: () => `SELECT date_trunc('hour', epoch_ms(period_ms)) AS period, origin || ' ' || key_fingerprint AS host,
  CAST(sum(units) AS BIGINT) AS units
FROM catalog.chainlake.spent_units
GROUP BY ALL
ORDER BY 1, 2
LIMIT 3000`,
    columns: [time('period', 'Hour'), text('host', 'Host and key'), count('units', 'Units')],
    picture: { kind: 'times', time: 'period', values: ['units'], series: 'host' },
  },
]

/** The questions about each network of a lake. */
export const chainGroups: readonly QuestionGroup[] = [allChains, pChain, xChain, cChain, evm, service]
