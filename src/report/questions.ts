import { sqlText } from '../lib/text.ts'
import { cutTime, overTime, type Question } from './question.ts'

const primaryNetwork = '11111111111111111111111111111111LpoYY'
const untimed = 'Blocks from before Banff that state no time are left out.'

/** The numbers at the top of a page. */
export const totals: Question = {
  id: 'totals',
  title: 'The lake in numbers',
  says: 'Data files that are visible now, and commits of new rows within a day before the page was made.',
  sql: `WITH file AS (
  SELECT *, snapshot_time > $dayAgo
    AND data_file_id NOT IN (SELECT data_file_id FROM catalog.chainlake.compacted_file) AS is_recent
  FROM catalog.main.ducklake_data_file AS file
  JOIN catalog.main.ducklake_snapshot AS snapshot ON snapshot.snapshot_id = file.begin_snapshot
)
SELECT CAST(sum(record_count) FILTER (WHERE end_snapshot IS NULL) AS BIGINT) AS "Rows",
  CAST(sum(file_size_bytes) FILTER (WHERE end_snapshot IS NULL) AS BIGINT) AS "Size",
  count(*) FILTER (WHERE end_snapshot IS NULL) AS "Files",
  (SELECT count(*) FROM (SELECT DISTINCT snapshot_id FROM file WHERE is_recent)) AS "Commits within a day",
  CAST(coalesce(sum(record_count) FILTER (WHERE is_recent), 0) AS BIGINT) AS "Rows within a day",
  max(snapshot_time) AT TIME ZONE 'UTC' AS "Last commit"
FROM file`,
  units: { Size: 'bytes' },
}

const newestOf = (chain: string, table: string, place: string): string =>
  `SELECT ${chain} AS "Chain", network AS "Network", count(*) AS "Blocks", max(${place}) AS "Highest",
    max(block_time) AT TIME ZONE 'UTC' AS "Newest block" FROM ${table} GROUP BY ALL`

/** The newest block of each chain. The times of these blocks show how fresh the lake is. */
export const newest: Question = {
  id: 'newest',
  title: 'Newest blocks',
  says: 'For each chain that has blocks in the lake.',
  sql: `FROM (
  ${[
    newestOf("'P'", 'p_blocks', 'height'),
    newestOf("'X ' || blockchain_id", 'x_blocks', 'height'),
    newestOf("'C ' || blockchain_id", 'c_blocks', 'block_number'),
    newestOf("'EVM ' || chain_id", 'evm_blocks', 'block_number'),
  ].join('\n  UNION ALL\n  ')}
)
ORDER BY "Newest block" DESC NULLS LAST, "Chain", "Network"
LIMIT 200`,
}

/** The transactions of the P- or the X-Chain by kind. */
function kindsOf(chain: 'p' | 'x', says: string): Question {
  return {
    id: `${chain}-kinds`,
    title: 'Transactions by kind',
    says,
    sql: `SELECT tx_type AS "Kind", count(*) AS "Transactions", CAST(sum(burned) AS DECIMAL(38, 0)) AS "Burned"
FROM ${chain}_transactions
WHERE network = $network
GROUP BY ALL
ORDER BY 2 DESC, 1`,
    units: { Burned: 'nAVAX' },
    picture: { kind: 'bars', label: 'Kind', value: 'Transactions' },
  }
}

/** Questions under one heading. */
type QuestionGroup = { readonly id: string; readonly title: string; readonly questions: readonly Question[] }

const allChains: QuestionGroup = {
  id: 'chains',
  title: 'All chains',
  questions: [
    {
      id: 'chains-days',
      title: 'Transactions and burned fees by chain',
      says: 'The last 90 days. What the C chain burned is known where the lake has its blocks by RPC; other EVM chains do not say.',
      sql: `SELECT CAST(day AS TIMESTAMP) AS "Day", chain AS "Chain", transaction_count AS "Transactions",
  CAST(burned_in_tokens AS DOUBLE) AS "Burned, AVAX"
FROM chain_daily
WHERE network = $network AND day > $since
ORDER BY 1 DESC, 2
LIMIT 6000`,
      picture: { kind: 'times', time: 'Day', values: ['Transactions', 'Burned, AVAX'], series: 'Chain' },
    },
  ],
}

const pChain: QuestionGroup = {
  id: 'p',
  title: 'P chain',
  questions: [
    kindsOf('p', 'Accepted transactions; proposals count whether or not they were committed.'),
    {
      id: 'p-activity',
      title: 'Blocks, transactions and what they burned',
      says: `Counted by the time of the block. ${untimed}`,
      time: { from: 'p_blocks', column: 'block_time' },
      // The query counts blocks by grouping, because a count of distinct heights does not spill to disk.
      sql: `SELECT "Time", count(*) AS "Blocks", CAST(sum(transactions) AS BIGINT) AS "Transactions",
  CAST(sum(burned) AS DECIMAL(38, 0)) AS "Burned"
FROM (
  SELECT ${cutTime('block_time')} AS "Time", height, count(*) AS transactions, sum(burned) AS burned
  FROM p_transactions
  WHERE network = $network AND block_time IS NOT NULL
  GROUP BY ALL
)
GROUP BY ALL
ORDER BY 1
LIMIT 3000`,
      units: { Burned: 'nAVAX' },
      picture: { kind: 'times', time: 'Time', values: ['Transactions', 'Burned'] },
    },
    {
      id: 'p-stake',
      title: 'Stake started and ended',
      says: 'The stakes of p_stakers on the primary network: a stake begins as its transaction says, and ends when a reward transaction released it, whether or not the reward was paid. Proposals that were aborted started none. Stakes that ended point down.',
      time: { from: 'p_blocks', column: 'block_time' },
      // The same rows as in p_stakers, which takes five times as long: it also finds the ends of stakes on subnets.
      sql: `WITH decided AS MATERIALIZED (
  SELECT tx_id, staked_tx_id, block_time, outcome, stake_ended
  FROM p_proposals
  WHERE network = $network
), staking AS MATERIALIZED (
  SELECT tx_id, start_time, end_time, weight
  FROM p_validations
  WHERE network = $network AND action IN ('add', 'delegate') AND subnet_id = '${primaryNetwork}'
)
SELECT ${cutTime('event_time')} AS "Time", event AS "Event", count(*) AS "Stakes",
  CAST(sum(weight) AS DECIMAL(38, 0)) AS "Amount"
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
ORDER BY 1, 2 DESC
LIMIT 6000`,
      units: { Amount: 'nAVAX' },
      picture: { kind: 'times', time: 'Time', values: ['Amount', 'Stakes'], series: 'Event', below: 'ended' },
    },
    overTime({
      id: 'p-rewards',
      title: 'Rewards paid and refused',
      says: 'Reward transactions by how the network voted. The amounts are in no container; the section on the service has those that it lists.',
      from: 'p_rewards',
      series: {
        Outcome: "CASE outcome WHEN 'committed' THEN 'paid' WHEN 'aborted' THEN 'refused' ELSE 'not decided yet' END",
      },
      values: { 'Reward transactions': 'count(*)' },
    }),
    {
      id: 'p-chains',
      title: 'Newest chains',
      says: 'Names are as whoever created the chain chose them: several may have the same.',
      sql: `SELECT block_time AS "Created", blockchain_name AS "Name", tx_id AS "Chain", subnet_id AS "Subnet",
  vm_id AS "Virtual machine"
FROM p_transactions
WHERE network = $network AND tx_type = 'CreateChainTx'
ORDER BY height DESC, tx_index DESC
LIMIT 20`,
    },
    {
      id: 'p-payments',
      title: 'Largest payments',
      says: 'Of the last 90 days: outputs to others than the owners of the inputs, also exports. Those of inputs with unknown owners are left out.',
      sql: `SELECT tx_id AS "Transaction", CAST(paid AS DECIMAL(38, 0)) AS "Paid", kind AS "Kind", block_time AS "Time"
FROM p_payments
WHERE network = $network AND block_time > $since AND paid IS NOT NULL
ORDER BY paid DESC, tx_id, output_index
LIMIT 20`,
      units: { Paid: 'nAVAX' },
      picture: { kind: 'bars', label: 'Transaction', value: 'Paid' },
    },
    {
      id: 'p-l1s',
      title: 'L1s by validators now',
      says: 'As of the newest block: a validator without balance counts until a transaction disables it.',
      sql: `SELECT coalesce(blockchain_names[1], subnet_id) AS "First chain", validator_count AS "Validators",
  l1_state AS "State", conversion_time AS "Became an L1", subnet_id AS "Subnet"
FROM l1s
WHERE network = $network
ORDER BY 2 DESC, 5
LIMIT 200`,
      picture: { kind: 'bars', label: 'First chain', value: 'Validators' },
    },
    {
      id: 'p-l1-validators',
      title: 'L1 validators now',
      says: 'By subnet, as the node last listed them. The balance pays for being a validator.',
      sql: `SELECT subnet_id AS "Subnet", count(*) AS "Validators", CAST(sum(balance) AS DECIMAL(38, 0)) AS "Balance",
  CAST(sum(weight) AS DECIMAL(38, 0)) AS "Weight"
FROM node_l1_validators_latest
WHERE network = $network
GROUP BY ALL
ORDER BY 2 DESC, 1
LIMIT 200`,
      units: { Balance: 'nAVAX' },
      picture: { kind: 'bars', label: 'Subnet', value: 'Validators' },
    },
    {
      id: 'p-validators',
      title: 'Largest validators now',
      says: 'Of the primary network, by own stake and what is delegated to them: as a node last listed them, otherwise as of the newest block.',
      sql: `SELECT node_id AS "Node", CAST(stake + delegated AS DECIMAL(38, 0)) AS "Together", stake AS "Own stake",
  delegated AS "Delegated"
FROM validators_now
WHERE network = $network AND subnet_id = '${primaryNetwork}'
ORDER BY 2 DESC, 1
LIMIT 20`,
      units: { Together: 'nAVAX', 'Own stake': 'nAVAX', Delegated: 'nAVAX' },
      picture: { kind: 'bars', label: 'Node', value: 'Together' },
    },
  ],
}

const xChain: QuestionGroup = {
  id: 'x',
  title: 'X chain',
  questions: [
    kindsOf('x', 'Those of the legacy index included.'),
    overTime({
      id: 'x-activity',
      title: 'Transactions and what they burned',
      says: 'By the time of the block, which transactions of the legacy index do not have.',
      from: 'x_transactions',
      values: { Transactions: 'count(*)', Burned: 'CAST(sum(burned) AS DECIMAL(38, 0))' },
      units: { Burned: 'nAVAX' },
    }),
    overTime({
      id: 'x-assets',
      title: 'Assets created',
      says: 'By the time of the block that creates them.',
      from: 'x_assets',
      values: { Assets: 'count(*)' },
    }),
    {
      id: 'x-newest-assets',
      title: 'Newest assets',
      says: 'Names and symbols are as whoever created the asset chose them: several may have the same.',
      sql: `SELECT block_time AS "Created", name AS "Name", symbol AS "Symbol", initial_supply AS "Initial supply, least units",
  denomination AS "Decimals", asset_id AS "Asset"
FROM x_assets
WHERE network = $network
ORDER BY block_time DESC NULLS LAST, asset_id
LIMIT 20`,
    },
  ],
}

const cChain: QuestionGroup = {
  id: 'c',
  title: 'C chain, from its containers',
  questions: [
    overTime({
      id: 'c-activity',
      title: 'Blocks, transactions and gas',
      says: 'As the headers state it; from Helicon on the gas is a worst case, not what was used.',
      from: 'c_blocks',
      values: {
        Blocks: 'count(*)',
        'EVM transactions': 'CAST(sum(transaction_count) AS BIGINT)',
        'Atomic transactions': 'CAST(sum(atomic_transaction_count) AS BIGINT)',
        Gas: 'sum(gas_used)',
      },
      drawn: ['Blocks', 'EVM transactions', 'Gas'],
    }),
    {
      id: 'c-kinds',
      title: 'Transactions by kind',
      says: 'EVM transactions by their type, and atomic ones, which import from other chains and export to them.',
      sql: `SELECT tx_type AS "Kind", CAST(sum(transaction_count) AS BIGINT) AS "Transactions"
FROM c_daily
WHERE network = $network
GROUP BY ALL
ORDER BY 2 DESC, 1`,
      picture: { kind: 'bars', label: 'Kind', value: 'Transactions' },
    },
  ],
}

const evm: QuestionGroup = {
  id: 'evm',
  title: 'EVM chains, by RPC',
  questions: [
    overTime({
      id: 'evm-activity',
      title: 'Blocks and gas by chain',
      says: 'Of the blocks that the lake has: a range with a step leaves others out.',
      from: 'evm_blocks',
      series: { Chain: 'chain_id' },
      values: { Blocks: 'count(*)', Gas: 'sum(gas_used)' },
    }),
    overTime({
      id: 'evm-fees',
      title: 'Transactions and fees by chain',
      says: 'The fee is the gas that a receipt states times its effective price, and the fee for L1 that it states; receipts without a price, or with one of 20 digits or more, count as transactions only.',
      from: 'evm_transactions',
      series: { Chain: 'chain_id' },
      values: {
        Transactions: 'count(*)',
        Failed: 'count(*) FILTER (WHERE status = 0)',
        Fees: 'CAST(sum(TRY_CAST(effective_gas_price AS DECIMAL(19,0)) * CAST(gas_used AS DECIMAL(19,0)) + coalesce(TRY_CAST(l1_fee AS DECIMAL(29,0)), 0)) AS VARCHAR)',
      },
      drawn: ['Transactions', 'Fees'],
      units: { Fees: 'wei' },
    }),
    {
      id: 'evm-transfers',
      title: 'Token transfers by contract',
      says: 'Transfers that logs tell of, of whatever standard; contracts may log what they like.',
      sql: `SELECT token_address AS "Contract", chain_id AS "Chain", standard AS "Standard", count(*) AS "Transfers",
  min(block_time) AS "First", max(block_time) AS "Last"
FROM evm_token_transfers
WHERE network = $network
GROUP BY ALL
ORDER BY 4 DESC, 1, 2, 3
LIMIT 50`,
      picture: { kind: 'bars', label: 'Contract', value: 'Transfers' },
    },
  ],
}

const service: QuestionGroup = {
  id: 'service',
  title: 'REST service',
  questions: [
    overTime({
      id: 'rest-rewards',
      title: 'Staking rewards paid',
      says: 'Rewards that the service lists, by the end of the staking period. Each reward counts once, in whatever currencies it was requested.',
      time: { from: 'rest_rewards', column: 'end_time' },
      from: '(SELECT DISTINCT network, utxo_id, end_time, reward_type, amount FROM rest_rewards)',
      column: 'end_time',
      series: { Kind: 'reward_type' },
      values: { Rewards: 'count(*)', Amount: 'CAST(sum(amount) AS DECIMAL(38, 0))' },
      drawn: ['Amount', 'Rewards'],
      units: { Amount: 'nAVAX' },
    }),
    overTime({
      id: 'rest-reward-worth',
      title: 'What the rewards were worth',
      says: 'By currency, at the price of the day that the service gives; rounded as it rounds.',
      from: 'rest_rewards',
      column: 'end_time',
      where: 'price IS NOT NULL AND price_currency IS NOT NULL',
      series: { Currency: 'price_currency' },
      values: { Worth: 'round(sum(amount * price / power(10, asset_denomination)), 2)' },
    }),
    {
      id: 'rest-transfers',
      title: 'ERC-20 transfers by token',
      says: 'Symbols are as the contract chose them: several may have the same. If one contract had several, the report shows the alphabetically last one.',
      // The query counts receivers by grouping, because a count of distinct addresses does not spill to disk.
      sql: `SELECT coalesce(max(symbol), token_address) AS "Symbol", token_address AS "Contract", chain_id AS "Chain",
  CAST(sum(transfers) AS BIGINT) AS "Transfers", count(to_address) AS "Receivers", max(last) AS "Last"
FROM (
  SELECT token_address, chain_id, to_address, max(token_symbol) AS symbol, count(*) AS transfers,
    max(block_time) AS last
  FROM rest_erc20_transfers
  WHERE network = $network
  GROUP BY token_address, chain_id, to_address
)
GROUP BY token_address, chain_id
ORDER BY 4 DESC, 2, 3
LIMIT 50`,
      picture: { kind: 'bars', label: 'Symbol', value: 'Transfers' },
    },
    {
      id: 'holders',
      title: 'Largest holders',
      says: 'The three largest of each of the ten tokens with most holders, in least units, as the metrics host last listed them.',
      sql: `SELECT token_address AS "Contract", chain_id AS "Chain", holders AS "Holders", address AS "Holder",
  balance_raw AS "Balance, least units"
FROM (
  SELECT *, count(*) OVER (PARTITION BY chain_id, token_address) AS holders,
    row_number() OVER (PARTITION BY chain_id, token_address ORDER BY balance DESC NULLS FIRST, balance_raw DESC, address) AS place
  FROM metrics_token_holders_latest
  WHERE network = $network
)
WHERE place <= 3
ORDER BY holders DESC, chain_id, token_address, place
LIMIT 30`,
      units: { 'Balance, least units': 'digits' },
    },
    {
      id: 'tps',
      title: 'Transactions a second',
      says: 'On average over a day, as the metrics host rounds it.',
      sql: `SELECT point_time AS "Day", chain_id AS "Chain", metric_value AS "Transactions a second"
FROM metrics_chain_tps_latest
WHERE network = $network
ORDER BY 1 DESC, 2
LIMIT 3000`,
      picture: { kind: 'lines', time: 'Day', values: ['Transactions a second'], series: 'Chain' },
    },
  ],
}

/** Files that were written with new rows. Merged files are left out: their rows came with other files. */
const written = `catalog.main.ducklake_data_file AS file
  JOIN catalog.main.ducklake_snapshot AS snapshot ON snapshot.snapshot_id = file.begin_snapshot
  JOIN catalog.main.ducklake_table AS "table" ON "table".table_id = file.table_id AND "table".end_snapshot IS NULL
  WHERE file.data_file_id NOT IN (SELECT data_file_id FROM catalog.chainlake.compacted_file)`

const snapshots = { from: 'catalog.main.ducklake_snapshot', column: 'snapshot_time' }
/** Number of tables that have a colour of their own in a picture. */
const ownColours = 6
const otherTables = 'other tables'

/** A measure of the files of commits, by the tables that grew most. */
const growthBy = (measure: 'record_count' | 'file_size_bytes', name: string) => ({
  time: snapshots,
  sql: `WITH added AS (
  SELECT ${cutTime('snapshot.snapshot_time')} AS "Time", "table".table_name AS name, file.${measure} AS measure
  FROM ${written}
), largest AS (
  SELECT name FROM added GROUP BY ALL ORDER BY sum(measure) DESC, name LIMIT ${ownColours}
)
SELECT "Time", CASE WHEN name IN (FROM largest) THEN name ELSE ${sqlText(otherTables)} END AS "Table",
  CAST(sum(measure) AS BIGINT) AS "${name}"
FROM added
GROUP BY ALL
ORDER BY 1, 3 DESC, 2
LIMIT 6000`,
  picture: { kind: 'times', time: 'Time', values: [name], series: 'Table', rest: otherTables } as const,
})

export const growth: readonly Question[] = [
  {
    id: 'growth-rows',
    title: 'Rows committed',
    says: 'By the time of the commit. What was merged later does not count again; what expired does not count any more.',
    ...growthBy('record_count', 'Rows'),
  },
  {
    id: 'growth-bytes',
    title: 'Bytes committed',
    says: 'Of the same data files, as they were written.',
    ...growthBy('file_size_bytes', 'Size'),
    units: { Size: 'bytes' },
  },
  {
    id: 'tables',
    title: 'What each table holds',
    says: 'Data files that are visible now.',
    sql: `SELECT "table".table_name AS "Table", CAST(sum(file.record_count) AS BIGINT) AS "Rows",
  CAST(sum(file.file_size_bytes) AS BIGINT) AS "Size", count(*) AS "Files"
FROM catalog.main.ducklake_data_file AS file
JOIN catalog.main.ducklake_table AS "table" ON "table".table_id = file.table_id AND "table".end_snapshot IS NULL
WHERE file.end_snapshot IS NULL
GROUP BY ALL
ORDER BY 3 DESC, 1`,
    units: { Size: 'bytes' },
    picture: { kind: 'bars', label: 'Table', value: 'Size' },
  },
  {
    id: 'file-sizes',
    title: 'Files by size',
    says: 'Many small files make queries slow; chainlake compact merges them.',
    sql: `SELECT CASE WHEN file_size_bytes < 10000 THEN 'below 10 kB' WHEN file_size_bytes < 100000 THEN '10 to 100 kB'
    WHEN file_size_bytes < 1000000 THEN '100 kB to 1 MB' WHEN file_size_bytes < 10000000 THEN '1 to 10 MB'
    WHEN file_size_bytes < 100000000 THEN '10 to 100 MB' ELSE '100 MB and more' END AS "File size",
  count(*) AS "Files", CAST(sum(file_size_bytes) AS BIGINT) AS "Together"
FROM catalog.main.ducklake_data_file
WHERE end_snapshot IS NULL
GROUP BY ALL
ORDER BY min(file_size_bytes)`,
    units: { Together: 'bytes' },
    picture: { kind: 'bars', label: 'File size', value: 'Files' },
  },
]

/** Questions about the work log. */
export const efforts: readonly Question[] = [
  {
    id: 'hosts',
    title: 'Requests, waits and refusals by host',
    says: 'For all recorded commands: requests, retries included, and requests that a host refused because there were too many.',
    sql: `SELECT host.host AS "Host", CAST(sum(host.requests) AS BIGINT) AS "Requests", CAST(sum(host.units) AS BIGINT) AS "Units",
  CAST(sum(host.retries) AS BIGINT) AS "Tried again", CAST(sum(host.refusals) AS BIGINT) AS "Refused",
  round(sum(host.waitSeconds), 1) AS "Waited"
FROM (
  SELECT unnest(hosts) AS host
  FROM $log
)
GROUP BY ALL
ORDER BY 2 DESC, 1
LIMIT 100`,
    units: { Waited: 'seconds' },
    picture: { kind: 'bars', label: 'Host', value: 'Requests' },
  },
  {
    id: 'efforts',
    title: 'Seconds of commits and publications, and lag',
    says: 'By when a command ended. The lag is the number of records that were missing in its ranges when it began.',
    sql: `SELECT date_trunc('minute', ended) AS "Ended", count(*) AS "Commands", round(sum(commitSeconds), 3) AS "Commits took",
  round(sum(publicationSeconds), 3) AS "Publications took", CAST(sum(commits) AS BIGINT) AS "Commits",
  CAST(sum(publications) AS BIGINT) AS "Publications", CAST(max(lag) AS BIGINT) AS "Lag, records"
FROM $log
GROUP BY ALL
ORDER BY 1 DESC
LIMIT 300`,
    units: { 'Commits took': 'seconds', 'Publications took': 'seconds' },
    picture: { kind: 'lines', time: 'Ended', values: ['Commits took', 'Publications took', 'Lag, records'] },
  },
]

export const work: readonly Question[] = [
  {
    id: 'commits',
    title: 'Commits',
    says: 'Each makes a snapshot, which readers see when it is published.',
    time: snapshots,
    sql: `SELECT ${cutTime('snapshot_time')} AS "Time", count(*) AS "Commits"
FROM catalog.main.ducklake_snapshot
WHERE snapshot_id > 0
GROUP BY ALL
ORDER BY 1
LIMIT 3000`,
    picture: { kind: 'times', time: 'Time', values: ['Commits'] },
  },
  {
    id: 'runs',
    title: 'The last runs',
    says: 'How each ended, as of this snapshot: the run that published it had not ended yet then.',
    sql: `SELECT started AT TIME ZONE 'UTC' AS "Started", round(epoch(ended - started), 1) AS "Took",
  coalesce(outcome, 'not ended') AS "Outcome", command AS "Command", len(streams) AS "Streams", left(streams[1], 200) AS "First stream"
FROM catalog.chainlake.run
ORDER BY run_id DESC
LIMIT 50`,
    units: { Took: 'seconds' },
  },
  {
    id: 'pace',
    title: 'What jobs took',
    says: 'When each was last run to its end: records of ranges, requests of lists.',
    sql: `SELECT job AS "Job", pipeline AS "Pipeline", epoch_ms(ended_ms) AS "Ended", duration_ms / 1000 AS "Took",
  record_count AS "Records", request_count AS "Requests"
FROM catalog.chainlake.measure
ORDER BY duration_ms DESC, job, pipeline
LIMIT 200`,
    units: { Took: 'seconds' },
    picture: { kind: 'bars', label: 'Job', value: 'Took' },
  },
  {
    id: 'budget',
    title: 'Budget of services',
    says: 'Compute units that were taken from the day of each host, with and without a key; of hosts that grant no number of units a day nothing is counted.',
    time: { from: 'catalog.chainlake.spent_units', column: 'epoch_ms(period_ms)' },
    sql: `SELECT date_trunc('hour', epoch_ms(period_ms)) AS "Hour", origin || ' ' || key_fingerprint AS "Host and key",
  CAST(sum(units) AS BIGINT) AS "Units"
FROM catalog.chainlake.spent_units
GROUP BY ALL
ORDER BY 1, 2
LIMIT 3000`,
    picture: { kind: 'times', time: 'Hour', values: ['Units'], series: 'Host and key' },
  },
]

/** The questions about each network of a lake. */
export const chainGroups: readonly QuestionGroup[] = [allChains, pChain, xChain, cChain, evm, service]
