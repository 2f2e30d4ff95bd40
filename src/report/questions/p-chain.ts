import { count, cutTime, nanos, type QuestionGroup, text, time } from './question.ts'

const primaryNetwork = '11111111111111111111111111111111LpoYY'
const times = { from: 'p_blocks', column: 'block_time' }
const untimed = 'Blocks from before Banff that state no time are left out.'

export const pChain: QuestionGroup = {
  id: 'p',
  title: 'P chain',
  questions: [
    {
      id: 'p-kinds',
      title: 'Transactions by kind',
      says: 'Accepted transactions; proposals count whether or not they were committed.',
      needs: ['p_transactions'],
      time: null,
      sql: ({ network }) => `SELECT tx_type, count(*) AS transactions, CAST(sum(burned) AS DECIMAL(38, 0)) AS burned
FROM p_transactions
WHERE network = ${network}
GROUP BY ALL
ORDER BY transactions DESC, tx_type`,
      columns: [text('tx_type', 'Kind'), count('transactions', 'Transactions'), nanos('burned', 'Burned')],
      picture: { kind: 'bars', label: 'tx_type', value: 'transactions' },
    },
    {
      id: 'p-activity',
      title: 'Blocks, transactions and what they burned',
      says: `Counted by the time of the block. ${untimed}`,
      needs: ['p_blocks', 'p_transactions'],
      time: times,
      // The query counts blocks by grouping, because a count of distinct heights does not spill to disk.
      sql: ({
        network,
        grain,
      }) => `SELECT period, count(*) AS blocks, CAST(sum(transactions) AS BIGINT) AS transactions,
  CAST(sum(burned) AS DECIMAL(38, 0)) AS burned
FROM (
  SELECT ${cutTime(grain, 'block_time')} AS period, height, count(*) AS transactions, sum(burned) AS burned
  FROM p_transactions
  WHERE network = ${network} AND block_time IS NOT NULL
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
      needs: ['p_blocks', 'p_transactions', 'p_validations'],
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
      needs: ['p_blocks', 'p_transactions', 'p_validations'],
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
      needs: ['p_transactions'],
      time: null,
      sql: ({
        network,
      }) => `SELECT block_time AS created, blockchain_name AS name, tx_id AS chain, subnet_id AS subnet, vm_id AS vm
FROM p_transactions
WHERE network = ${network} AND tx_type = 'CreateChainTx'
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
      id: 'p-l1-validators',
      title: 'L1 validators now',
      says: 'By subnet, as the node last listed them. The balance pays for being a validator.',
      needs: ['node_l1_validators', 'observations'],
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
      says: 'Of the primary network, by own stake and what is delegated to them, as the node last listed them.',
      needs: ['node_validators', 'observations'],
      time: null,
      sql: ({
        network,
      }) => `SELECT node_id, weight + coalesce(delegator_weight, 0) AS total, weight AS own, delegator_weight AS delegated
FROM node_validators_latest
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
