import type { ExampleQueries } from './example-query.ts'

/** Example queries on tables and views of blocks of the P-, X- and C-Chain, of the state of a node, and of the lake itself. */
export const nodeQueries: ExampleQueries = {
  chains: {
    says: 'the blockchains that the lake knows, with their aliases.',
    sql: 'SELECT network, alias, blockchain_id, vm_id FROM chains ORDER BY ALL',
  },
  containers: {
    says: 'the sizes of raw containers by chain (with `--raw` only).',
    sql: `SELECT chain, count(*) AS containers, sum(octet_length(bytes)) AS bytes, max(octet_length(bytes)) AS largest
FROM containers GROUP BY ALL ORDER BY chain`,
  },
  coverage: {
    says: 'which ranges of the P-Chain the lake has read.',
    sql: `SELECT table_name, unit, slice_from, slice_to, row_count FROM coverage
WHERE stream LIKE '%P/block' ORDER BY table_name, slice_from`,
  },
  observations: {
    says: 'when each pipeline last completed a reading.',
    sql: `SELECT pipeline, count(*) AS readings, max(completed_at) AS last_reading
FROM observations GROUP BY ALL ORDER BY last_reading DESC`,
  },
  cross_chain_transfers: {
    says: 'exports that have no import yet, by source and destination.',
    sql: `SELECT source_chain, destination_chain, count(*) AS exports, sum(amount_avax) AS avax
FROM cross_chain_transfers WHERE transfer_status = 'pending' GROUP BY ALL ORDER BY ALL`,
  },
  address_activity: {
    says: 'the addresses that occur in most tables.',
    sql: `SELECT address, count(DISTINCT table_name) AS tables, sum(row_count) AS entries
FROM address_activity GROUP BY ALL ORDER BY tables DESC, entries DESC LIMIT 10`,
  },
  p_blocks: {
    says: 'the newest blocks with their proposers.',
    sql: `SELECT height, block_time, block_type, tx_count, proposer_node_id FROM p_blocks
ORDER BY height DESC LIMIT 10`,
  },
  p_transactions: {
    says: 'how many transactions of each type there are, and what they burned.',
    sql: `SELECT tx_type, count(*) AS transactions, sum(burned) / 1e9 AS burned_avax
FROM p_transactions GROUP BY ALL ORDER BY transactions DESC`,
  },
  p_inputs: {
    says: 'the outputs that a transaction spent, from inputs joined with outputs.',
    sql: `SELECT i.tx_id, i.input_index, o.addresses, i.amount FROM p_inputs AS i
JOIN p_outputs AS o ON o.network = i.network AND o.tx_id = i.source_tx_id AND o.output_index = i.source_output_index
ORDER BY i.height DESC, i.tx_id, i.input_index LIMIT 10`,
  },
  p_outputs: {
    says: 'the largest outputs with their owners.',
    sql: `SELECT tx_id, output_index, kind, amount, addresses, threshold FROM p_outputs
ORDER BY amount DESC NULLS LAST, tx_id, output_index LIMIT 10`,
  },
  p_validations: {
    says: 'how many validators and delegators transactions added.',
    sql: `SELECT action, tx_type, count(*) AS entries, min(stated_start) AS first_start, max(stated_end) AS last_end
FROM p_validations GROUP BY ALL ORDER BY ALL`,
  },
  p_credentials: {
    says: 'who signed the newest transactions (with `--credentials`; `address` also needs `--signers`).',
    sql: 'SELECT tx_id, credential_index, fx_id, address FROM p_credentials ORDER BY height DESC, tx_id LIMIT 10',
  },
  p_state_outputs: {
    says: 'outputs that are in no block, by their origin.',
    sql: 'SELECT origin, count(*) AS outputs, sum(amount) / 1e9 AS avax FROM p_state_outputs GROUP BY ALL ORDER BY ALL',
  },
  p_ledger: {
    says: 'what the richest addresses own at height 1000.',
    sql: `SELECT address, sum(amount_avax) AS avax FROM p_ledger
WHERE height <= 1000 GROUP BY address ORDER BY avax DESC, address LIMIT 10`,
  },
  p_utxos: {
    says: 'unspent outputs by kind.',
    sql: 'SELECT kind, origin, count(*) AS utxos, sum(amount_avax) AS avax FROM p_utxos GROUP BY ALL ORDER BY ALL',
  },
  p_stakers: {
    says: 'the stake by role at a time.',
    sql: `SELECT staker_role, count(*) AS stakers, sum(stake_avax) AS avax FROM p_stakers
WHERE active_from <= '2025-11-01 00:30:00+00' AND (active_to <= '2025-11-01 00:30:00+00') IS NOT TRUE
GROUP BY ALL ORDER BY ALL`,
  },
  p_reward_payments: {
    says: 'rewards by type.',
    sql: `SELECT reward_type, count(*) AS payments, sum(amount_avax) AS avax
FROM p_reward_payments GROUP BY ALL ORDER BY ALL`,
  },
  p_daily: {
    says: 'transactions and burned AVAX by day.',
    sql: `SELECT day, sum(transaction_count) AS transactions, sum(burned_avax) AS burned_avax
FROM p_daily GROUP BY day ORDER BY day`,
  },
  x_blocks: {
    says: 'the newest blocks.',
    sql: 'SELECT height, block_time, block_id, tx_count, byte_length FROM x_blocks ORDER BY height DESC LIMIT 10',
  },
  x_transactions: {
    says: 'transactions by type, with the chains that they import from or export to.',
    sql: `SELECT tx_type, source_chain_id, destination_chain_id, count(*) AS transactions
FROM x_transactions GROUP BY ALL ORDER BY transactions DESC`,
  },
  x_outputs: {
    says: 'outputs by type and asset.',
    sql: `SELECT output_type, a.symbol, count(*) AS outputs, sum(o.amount) AS amount
FROM x_outputs AS o LEFT JOIN x_assets AS a USING (network, blockchain_id, asset_id)
GROUP BY ALL ORDER BY outputs DESC, symbol LIMIT 10`,
  },
  x_assets: {
    says: 'assets with their supply in whole units.',
    sql: `SELECT name, symbol, initial_supply / 10 ** denomination AS supply, has_mint_output
FROM x_assets ORDER BY block_time, asset_id LIMIT 10`,
  },
  x_ledger: {
    says: 'balances of an asset by address.',
    sql: `SELECT asset_id, address, sum(counted_amount) AS balance FROM x_ledger
GROUP BY ALL HAVING balance > 0 ORDER BY balance DESC, address LIMIT 10`,
  },
  x_daily: {
    says: 'transactions by day and type.',
    sql: 'SELECT day, tx_type, transaction_count, burned_avax FROM x_daily ORDER BY ALL',
  },
  c_blocks: {
    says: 'how full blocks are.',
    sql: `SELECT block_number, block_time, transaction_count, round(100 * gas_used / gas_limit, 1) AS full_percent
FROM c_blocks ORDER BY block_number DESC LIMIT 10`,
  },
  c_transactions: {
    says: 'transactions by type, with the amount that they moved.',
    sql: `SELECT transaction_type, count(*) AS transactions, sum(value) / 1e18 AS avax
FROM c_transactions GROUP BY ALL ORDER BY ALL`,
  },
  c_transactions_with_senders: {
    says: 'the busiest senders (with `--senders`).',
    sql: `SELECT from_address, count(*) AS transactions FROM c_transactions_with_senders
GROUP BY ALL ORDER BY transactions DESC, from_address LIMIT 10`,
  },
  c_atomic_transactions: {
    says: 'imports and exports by chain.',
    sql: `SELECT tx_type, source_chain_id, destination_chain_id, count(*) AS transactions
FROM c_atomic_transactions GROUP BY ALL ORDER BY ALL`,
  },
  c_atomic_outputs: {
    says: 'the largest amounts that imports credited to EVM addresses.',
    sql: `SELECT tx_id, evm_address, asset_id, amount FROM c_atomic_outputs
WHERE evm_address IS NOT NULL ORDER BY amount DESC, tx_id LIMIT 10`,
  },
  c_daily: {
    says: 'transactions by day and type.',
    sql: 'SELECT day, tx_type, transaction_count, block_count FROM c_daily ORDER BY ALL',
  },
  node_validators_latest: {
    says: 'the stake and the uptime of the present validators of each subnet.',
    sql: `SELECT subnet_id, count(*) AS validators, sum(weight) AS weight, avg(uptime) AS uptime
FROM node_validators_latest GROUP BY ALL ORDER BY validators DESC, subnet_id`,
  },
  node_supply_latest: {
    says: 'the supply of the staking token of each subnet.',
    sql: 'SELECT subnet_id, supply, height, error FROM node_supply_latest ORDER BY supply DESC NULLS LAST LIMIT 10',
  },
  node_health_latest: {
    says: 'health checks that fail.',
    sql: `SELECT check_name, error, contiguous_failures, first_failure_at FROM node_health_latest
WHERE error IS NOT NULL ORDER BY check_name`,
  },
  node_utxos_latest: {
    says: 'what addresses own, as the node lists it.',
    sql: `SELECT blockchain_id, asset_id, count(*) AS utxos, sum(amount) AS amount
FROM node_utxos_latest GROUP BY ALL ORDER BY utxos DESC, asset_id LIMIT 10`,
  },
  node_txpool_latest: {
    says: 'transactions that wait, by sender.',
    sql: `SELECT pool, from_address, count(*) AS transactions, min(nonce) AS next_nonce
FROM node_txpool_latest GROUP BY ALL ORDER BY transactions DESC, from_address LIMIT 10`,
  },
  node_evm_proofs: {
    says: 'proven balances.',
    sql: 'SELECT address, block_number, balance / 1e18 AS avax, nonce FROM node_evm_proofs ORDER BY address LIMIT 10',
  },
  l1_validators: {
    says: 'validators of L1s with what they deposited and what is left.',
    sql: `SELECT subnet_id, node_id, weight, deposited_avax, observed_balance_avax, end_reason
FROM l1_validators ORDER BY deposited_avax DESC NULLS LAST, validation_id LIMIT 10`,
  },
}
