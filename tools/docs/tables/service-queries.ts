import type { ExampleQueries } from './example-query.ts'

/** Example queries on tables and views of the REST service and its metrics host. */
export const serviceQueries: ExampleQueries = {
  rest_p_transactions: {
    says: 'transactions by type, with the AVAX that they staked and burned.',
    sql: `SELECT tx_type, count(*) AS transactions,
  list_sum(flatten(list(list_transform(amount_burned, lambda a: a.amount)))) / 1e9 AS burned_avax
FROM rest_p_transactions GROUP BY ALL ORDER BY transactions DESC`,
  },
  rest_x_transactions: {
    says: 'transactions by type and format of the chain.',
    sql: `SELECT tx_type, chain_format, count(*) AS transactions FROM rest_x_transactions
GROUP BY ALL ORDER BY transactions DESC`,
  },
  rest_utxos_latest: {
    says: 'the unspent UTXOs of each chain.',
    sql: `SELECT chain_name, asset_symbol, count(*) AS utxos, sum(amount) AS amount FROM rest_utxos_latest
WHERE consuming_tx_id IS NULL GROUP BY ALL ORDER BY ALL LIMIT 10`,
  },
  rest_rewards: {
    says: 'rewards by type, with their value at the time of the payment.',
    sql: `SELECT reward_type, count(*) AS rewards, sum(amount) / 1e9 AS avax, sum(amount / 1e9 * price) AS paid_value, price_currency
FROM rest_rewards GROUP BY ALL ORDER BY ALL`,
  },
  rest_node_blocks: {
    says: 'blocks by proposer.',
    sql: `SELECT node_id, chain_name, count(*) AS blocks, max(block_time) AS last_block
FROM rest_node_blocks GROUP BY ALL ORDER BY blocks DESC, node_id, chain_name LIMIT 10`,
  },
  rest_validators_latest: {
    says: 'validators by status.',
    sql: `SELECT validation_status, count(*) AS validators, sum(staked_amount) / 1e9 AS avax
FROM rest_validators_latest GROUP BY ALL ORDER BY ALL`,
  },
  rest_delegators_latest: {
    says: 'the nodes with most delegations.',
    sql: `SELECT node_id, delegation_status, count(*) AS delegations, sum(delegated_amount) / 1e9 AS avax
FROM rest_delegators_latest GROUP BY ALL ORDER BY avax DESC, node_id LIMIT 10`,
  },
  rest_subnets_latest: {
    says: 'subnets that became L1s.',
    sql: `SELECT subnet_id, block_time, manager_address FROM rest_subnets_latest
WHERE is_l1 ORDER BY block_time DESC, subnet_id LIMIT 10`,
  },
  rest_icm_messages_latest: {
    says: 'messages by way and status.',
    sql: `SELECT source_evm_chain_id, destination_evm_chain_id, message_status, count(*) AS messages
FROM rest_icm_messages_latest GROUP BY ALL ORDER BY messages DESC LIMIT 10`,
  },
  rest_evm_blocks: {
    says: 'the newest blocks.',
    sql: `SELECT block_number, block_time, transaction_count, gas_used FROM rest_evm_blocks
ORDER BY block_number DESC LIMIT 10`,
  },
  rest_erc20_transfers: {
    says: 'transfers by token.',
    sql: `SELECT token_symbol, token_address, count(*) AS transfers, sum(amount / 10 ** token_decimals) AS tokens
FROM rest_erc20_transfers GROUP BY ALL ORDER BY transfers DESC, token_address LIMIT 10`,
  },
  rest_erc20_balances_latest: {
    says: 'balances with their value.',
    sql: `SELECT owner, token_symbol, balance / 10 ** token_decimals AS tokens, balance_value, balance_value_currency
FROM rest_erc20_balances_latest ORDER BY balance_value DESC NULLS LAST, owner LIMIT 10`,
  },
  rest_native_transactions: {
    says: 'transactions of watched wallets by method.',
    sql: `SELECT method_name, status, count(*) AS transactions FROM rest_native_transactions
GROUP BY ALL ORDER BY transactions DESC, method_name LIMIT 10`,
  },
  metrics_chain_points_latest: {
    says: 'the newest value of each metric of a chain.',
    sql: `SELECT chain_id, metric, interval, point_time, metric_value FROM metrics_chain_points_latest
QUALIFY point_time = max(point_time) OVER (PARTITION BY chain_id, metric, interval) ORDER BY metric`,
  },
  metrics_chain_tps_latest: {
    says: 'transactions per second.',
    sql: 'SELECT chain_id, interval, point_time, metric_value FROM metrics_chain_tps_latest ORDER BY point_time DESC LIMIT 10',
  },
  metrics_token_holders_latest: {
    says: 'the largest holder of each token.',
    sql: `SELECT token_address, address, balance FROM metrics_token_holders_latest
QUALIFY row_number() OVER (PARTITION BY token_address ORDER BY balance DESC, address) = 1 ORDER BY token_address`,
  },
  metrics_network_latest: {
    says: 'the number and weight of validators and delegators.',
    sql: 'SELECT metric, subnet_id, point_time, metric_value FROM metrics_network_latest ORDER BY ALL',
  },
}
