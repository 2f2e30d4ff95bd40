-- Example queries on tables and views, as the reference of tables shows them: the name of the table, then what the query answers.
-- Questions of analysts are in examples/queries; these show how to use one table. Each runs on the lake of the demo.

-- chains: the blockchains that the lake knows, with their aliases.
SELECT network, alias, blockchain_id, vm_id FROM chains ORDER BY ALL;

-- containers: the sizes of raw containers by chain (with `--raw` only).
SELECT chain, count(*) AS containers, sum(octet_length(bytes)) AS bytes, max(octet_length(bytes)) AS largest
FROM containers GROUP BY ALL ORDER BY chain;

-- coverage: which ranges of the P-Chain the lake has read.
SELECT table_name, unit, slice_from, slice_to, row_count FROM coverage
WHERE stream LIKE '%P/block' ORDER BY table_name, slice_from;

-- observations: when each pipeline last completed a reading.
SELECT pipeline, count(*) AS readings, max(completed_at) AS last_reading
FROM observations GROUP BY ALL ORDER BY last_reading DESC;

-- cross_chain_transfers: exports that have no import yet, by source and destination.
SELECT source_chain, destination_chain, count(*) AS exports, sum(amount_avax) AS avax
FROM cross_chain_transfers WHERE transfer_status = 'pending' GROUP BY ALL ORDER BY ALL;

-- address_activity: the addresses that occur in most tables.
SELECT address, count(DISTINCT table_name) AS tables, sum(row_count) AS entries
FROM address_activity GROUP BY ALL ORDER BY tables DESC, entries DESC LIMIT 10;

-- p_blocks: the newest blocks with their proposers.
SELECT height, block_time, block_type, tx_count, proposer_node_id FROM p_blocks
ORDER BY height DESC LIMIT 10;

-- p_transactions: how many transactions of each type there are, and what they burned.
SELECT tx_type, count(*) AS transactions, sum(burned) / 1e9 AS burned_avax
FROM p_transactions GROUP BY ALL ORDER BY transactions DESC;

-- p_inputs: the outputs that a transaction spent, from inputs joined with outputs.
SELECT i.tx_id, i.input_index, o.addresses, i.amount FROM p_inputs AS i
JOIN p_outputs AS o ON o.network = i.network AND o.tx_id = i.source_tx_id AND o.output_index = i.source_output_index
ORDER BY i.height DESC, i.tx_id, i.input_index LIMIT 10;

-- p_outputs: the largest outputs with their owners.
SELECT tx_id, output_index, kind, amount, addresses, threshold FROM p_outputs
ORDER BY amount DESC NULLS LAST, tx_id, output_index LIMIT 10;

-- p_validations: how many validators and delegators transactions added.
SELECT action, tx_type, count(*) AS entries, min(stated_start) AS first_start, max(stated_end) AS last_end
FROM p_validations GROUP BY ALL ORDER BY ALL;

-- p_credentials: who signed the newest transactions (with `--credentials`; `address` also needs `--signers`).
SELECT tx_id, credential_index, fx_id, address FROM p_credentials ORDER BY height DESC, tx_id LIMIT 10;

-- p_state_outputs: outputs that are in no block, by their origin.
SELECT origin, count(*) AS outputs, sum(amount) / 1e9 AS avax FROM p_state_outputs GROUP BY ALL ORDER BY ALL;

-- p_ledger: what the richest addresses own at height 1000.
SELECT address, sum(amount_avax) AS avax FROM p_ledger
WHERE height <= 1000 GROUP BY address ORDER BY avax DESC, address LIMIT 10;

-- p_utxos: unspent outputs by kind.
SELECT kind, origin, count(*) AS utxos, sum(amount_avax) AS avax FROM p_utxos GROUP BY ALL ORDER BY ALL;

-- p_stakers: the stake by role at a time.
SELECT staker_role, count(*) AS stakers, sum(stake_avax) AS avax FROM p_stakers
WHERE active_from <= '2025-11-01 00:30:00+00' AND (active_to <= '2025-11-01 00:30:00+00') IS NOT TRUE
GROUP BY ALL ORDER BY ALL;

-- p_reward_payments: rewards by type.
SELECT reward_type, count(*) AS payments, sum(amount_avax) AS avax
FROM p_reward_payments GROUP BY ALL ORDER BY ALL;

-- p_daily: transactions and burned AVAX by day.
SELECT day, sum(transaction_count) AS transactions, sum(burned_avax) AS burned_avax
FROM p_daily GROUP BY day ORDER BY day;

-- x_blocks: the newest blocks.
SELECT height, block_time, block_id, tx_count, byte_length FROM x_blocks ORDER BY height DESC LIMIT 10;

-- x_transactions: transactions by type, with the chains that they import from or export to.
SELECT tx_type, source_chain_id, destination_chain_id, count(*) AS transactions
FROM x_transactions GROUP BY ALL ORDER BY transactions DESC;

-- x_outputs: outputs by type and asset.
SELECT output_type, a.symbol, count(*) AS outputs, sum(o.amount) AS amount
FROM x_outputs AS o LEFT JOIN x_assets AS a USING (network, blockchain_id, asset_id)
GROUP BY ALL ORDER BY outputs DESC, symbol LIMIT 10;

-- x_assets: assets with their supply in whole units.
SELECT name, symbol, initial_supply / 10 ** denomination AS supply, has_mint_output
FROM x_assets ORDER BY block_time, asset_id LIMIT 10;

-- x_ledger: balances of an asset by address.
SELECT asset_id, address, sum(counted_amount) AS balance FROM x_ledger
GROUP BY ALL HAVING balance > 0 ORDER BY balance DESC, address LIMIT 10;

-- x_daily: transactions by day and type.
SELECT day, tx_type, transaction_count, burned_avax FROM x_daily ORDER BY ALL;

-- c_blocks: how full blocks are.
SELECT block_number, block_time, transaction_count, round(100 * gas_used / gas_limit, 1) AS full_percent
FROM c_blocks ORDER BY block_number DESC LIMIT 10;

-- c_transactions: transactions by type, with the amount that they moved.
SELECT transaction_type, count(*) AS transactions, sum(value) / 1e18 AS avax
FROM c_transactions GROUP BY ALL ORDER BY ALL;

-- c_transactions_with_senders: the busiest senders (with `--senders`).
SELECT from_address, count(*) AS transactions FROM c_transactions_with_senders
GROUP BY ALL ORDER BY transactions DESC, from_address LIMIT 10;

-- c_atomic_transactions: imports and exports by chain.
SELECT tx_type, source_chain_id, destination_chain_id, count(*) AS transactions
FROM c_atomic_transactions GROUP BY ALL ORDER BY ALL;

-- c_atomic_outputs: the largest amounts that imports credited to EVM addresses.
SELECT tx_id, evm_address, asset_id, amount FROM c_atomic_outputs
WHERE evm_address IS NOT NULL ORDER BY amount DESC, tx_id LIMIT 10;

-- c_daily: transactions by day and type.
SELECT day, tx_type, transaction_count, block_count FROM c_daily ORDER BY ALL;

-- node_validators_latest: the stake and the uptime of the present validators of each subnet.
SELECT subnet_id, count(*) AS validators, sum(weight) AS weight, avg(uptime) AS uptime
FROM node_validators_latest GROUP BY ALL ORDER BY validators DESC, subnet_id;

-- node_supply_latest: the supply of the staking token of each subnet.
SELECT subnet_id, supply, height, error FROM node_supply_latest ORDER BY supply DESC NULLS LAST LIMIT 10;

-- node_p_fees: the price of gas on the P-Chain over time.
SELECT observed_at, price_per_gas, gas_excess FROM node_p_fees ORDER BY observed_at DESC LIMIT 10;

-- node_subnets_latest: who owns subnets, and which are L1s.
SELECT subnet_id, owner_addresses, conversion_id IS NOT NULL AS is_l1 FROM node_subnets_latest ORDER BY subnet_id LIMIT 10;

-- node_validators_at: the stake of the Primary Network at heights of the past, in AVAX.
SELECT height, count(*) AS validators, sum(weight) / 1e9 AS stake FROM node_validators_at GROUP BY ALL ORDER BY height;

-- node_health_latest: health checks that fail.
SELECT check_name, error, contiguous_failures, first_failure_at FROM node_health_latest
WHERE error IS NOT NULL ORDER BY check_name;

-- node_utxos_latest: what addresses own, as the node lists it.
SELECT blockchain_id, asset_id, count(*) AS utxos, sum(amount) AS amount
FROM node_utxos_latest GROUP BY ALL ORDER BY utxos DESC, asset_id LIMIT 10;

-- node_txpool_latest: transactions that wait, by sender.
SELECT pool, from_address, count(*) AS transactions, min(nonce) AS next_nonce
FROM node_txpool_latest GROUP BY ALL ORDER BY transactions DESC, from_address LIMIT 10;

-- node_evm_proofs: proven balances.
SELECT address, block_number, balance / 1e18 AS avax, nonce FROM node_evm_proofs ORDER BY address LIMIT 10;

-- l1_validators: validators of L1s with what they deposited and what is left.
SELECT subnet_id, node_id, weight, deposited_avax, observed_balance_avax, end_reason
FROM l1_validators ORDER BY deposited_avax DESC NULLS LAST, validation_id LIMIT 10;

-- evm_blocks: the newest blocks with their base fee in gwei.
SELECT block_number, block_time, transaction_count, log_count, gas_used, base_fee_per_gas / 1e9 AS base_fee_gwei
FROM evm_blocks ORDER BY block_number DESC LIMIT 10;

-- evm_transactions: the transactions that paid the highest fees.
SELECT transaction_hash, from_address, to_address, status, gas_used * effective_gas_price / 1e18 AS fee_avax
FROM evm_transactions ORDER BY fee_avax DESC, transaction_hash LIMIT 10;

-- evm_logs: the most frequent events by contract and first topic.
SELECT address, topic0, count(*) AS logs FROM evm_logs
GROUP BY ALL ORDER BY logs DESC, address, topic0 LIMIT 10;

-- evm_token_transfers: the tokens that move most, with their symbols.
SELECT t.standard, t.token_address, k.symbol, count(*) AS transfers FROM evm_token_transfers AS t
LEFT JOIN (SELECT DISTINCT network, chain_id, token_address, symbol FROM evm_tokens) AS k
  USING (network, chain_id, token_address)
GROUP BY ALL ORDER BY transfers DESC, token_address LIMIT 10;

-- evm_token_balances: the largest holder of each ERC-20 token.
SELECT token_address, address, balance FROM evm_token_balances WHERE standard = 'erc20' AND next_day IS NULL
QUALIFY row_number() OVER (PARTITION BY token_address ORDER BY balance DESC, address) = 1 ORDER BY token_address;

-- evm_daily: activity by day.
SELECT day, transaction_count, failed_count, sender_count, fees_in_tokens FROM evm_daily ORDER BY day;

-- evm_gas_prices: gas prices by day, in gwei.
SELECT day, lowest / 1e9 AS lowest, median / 1e9 AS median, highest / 1e9 AS highest FROM evm_gas_prices ORDER BY day;

-- evm_traces: calls by type and depth, and how many were reverted.
SELECT call_type, depth, count(*) AS calls, count(*) FILTER (reverted) AS reverted
FROM evm_traces GROUP BY ALL ORDER BY ALL;

-- evm_internal_transfers: the largest amounts that contracts moved.
SELECT transaction_hash, from_address, to_address, value / 1e18 AS avax FROM evm_internal_transfers
ORDER BY value DESC NULLS LAST, transaction_hash LIMIT 10;

-- evm_contracts: the newest contracts and their creators.
SELECT contract_address, creator_address, block_number, gas_used FROM evm_contracts
ORDER BY block_number DESC, contract_address LIMIT 10;

-- evm_four_byte_counts: the functions that transactions call most, by selector.
SELECT selector, argument_bytes, sum(call_count) AS calls FROM evm_four_byte_counts
GROUP BY ALL ORDER BY calls DESC, selector LIMIT 10;

-- evm_calls: answers of contracts by function and outcome.
SELECT function, status, count(*) AS calls FROM evm_calls GROUP BY ALL ORDER BY ALL;

-- evm_tokens: tokens with their supply in whole tokens.
SELECT token_address, name, symbol, total_supply / 10 ** decimals AS supply FROM evm_tokens
ORDER BY token_address, block_number LIMIT 10;

-- evm_event_failures: logs that could not be decoded, by reason.
SELECT contract, table_name, reason, count(*) AS logs FROM evm_event_failures GROUP BY ALL ORDER BY ALL;

-- evm_balances: the balances of accounts at the last block that was read.
SELECT address, block_number, balance / 1e18 AS avax FROM evm_balances
QUALIFY block_number = max(block_number) OVER () ORDER BY balance DESC NULLS LAST, address LIMIT 10;

-- evm_storage: slots that changed between the blocks that were read.
SELECT address, slot, count(DISTINCT slot_value) AS contents FROM evm_storage
GROUP BY ALL HAVING contents > 1 ORDER BY contents DESC, address, slot LIMIT 10;

-- evm_balance_changes: the accounts that gained most, in whole AVAX.
SELECT address, sum(balance_after - balance_before) / 1e18 AS gained FROM evm_balance_changes
GROUP BY ALL ORDER BY gained DESC NULLS LAST, address LIMIT 10;

-- evm_storage_changes: the contracts with the most changes of storage.
SELECT address, count(*) AS changes, count(DISTINCT slot) AS slots FROM evm_storage_changes
GROUP BY ALL ORDER BY changes DESC, address LIMIT 10;

-- rest_p_transactions: transactions by type, with the AVAX that they staked and burned.
SELECT tx_type, count(*) AS transactions,
  list_sum(flatten(list(list_transform(amount_burned, lambda a: a.amount)))) / 1e9 AS burned_avax
FROM rest_p_transactions GROUP BY ALL ORDER BY transactions DESC;

-- rest_x_transactions: transactions by type and format of the chain.
SELECT tx_type, chain_format, count(*) AS transactions FROM rest_x_transactions
GROUP BY ALL ORDER BY transactions DESC;

-- rest_utxos_latest: the unspent UTXOs of each chain.
SELECT chain_name, asset_symbol, count(*) AS utxos, sum(amount) AS amount FROM rest_utxos_latest
WHERE consuming_tx_id IS NULL GROUP BY ALL ORDER BY ALL LIMIT 10;

-- rest_rewards: rewards by type, with their value at the time of the payment.
SELECT reward_type, count(*) AS rewards, sum(amount) / 1e9 AS avax, sum(amount / 1e9 * price) AS paid_value, price_currency
FROM rest_rewards GROUP BY ALL ORDER BY ALL;

-- rest_node_blocks: blocks by proposer.
SELECT node_id, chain_name, count(*) AS blocks, max(block_time) AS last_block
FROM rest_node_blocks GROUP BY ALL ORDER BY blocks DESC, node_id, chain_name LIMIT 10;

-- rest_validators_latest: validators by status.
SELECT validation_status, count(*) AS validators, sum(staked_amount) / 1e9 AS avax
FROM rest_validators_latest GROUP BY ALL ORDER BY ALL;

-- rest_delegators_latest: the nodes with most delegations.
SELECT node_id, delegation_status, count(*) AS delegations, sum(delegated_amount) / 1e9 AS avax
FROM rest_delegators_latest GROUP BY ALL ORDER BY avax DESC, node_id LIMIT 10;

-- rest_subnets_latest: subnets that became L1s.
SELECT subnet_id, block_time, manager_address FROM rest_subnets_latest
WHERE is_l1 ORDER BY block_time DESC, subnet_id LIMIT 10;

-- rest_icm_messages_latest: messages by way and status.
SELECT source_evm_chain_id, destination_evm_chain_id, message_status, count(*) AS messages
FROM rest_icm_messages_latest GROUP BY ALL ORDER BY messages DESC LIMIT 10;

-- rest_evm_blocks: the newest blocks.
SELECT block_number, block_time, transaction_count, gas_used FROM rest_evm_blocks
ORDER BY block_number DESC LIMIT 10;

-- rest_erc20_transfers: transfers by token.
SELECT token_symbol, token_address, count(*) AS transfers, sum(amount / 10 ** token_decimals) AS tokens
FROM rest_erc20_transfers GROUP BY ALL ORDER BY transfers DESC, token_address LIMIT 10;

-- rest_erc20_balances_latest: balances with their value.
SELECT owner, token_symbol, balance / 10 ** token_decimals AS tokens, balance_value, balance_value_currency
FROM rest_erc20_balances_latest ORDER BY balance_value DESC NULLS LAST, owner LIMIT 10;

-- rest_native_transactions: transactions of watched wallets by method.
SELECT method_name, status, count(*) AS transactions FROM rest_native_transactions
GROUP BY ALL ORDER BY transactions DESC, method_name LIMIT 10;

-- metrics_chain_points_latest: the newest value of each metric of a chain.
SELECT chain_id, metric, interval, point_time, metric_value FROM metrics_chain_points_latest
QUALIFY point_time = max(point_time) OVER (PARTITION BY chain_id, metric, interval) ORDER BY metric;

-- metrics_chain_tps_latest: transactions per second.
SELECT chain_id, interval, point_time, metric_value FROM metrics_chain_tps_latest ORDER BY point_time DESC LIMIT 10;

-- metrics_token_holders_latest: the largest holder of each token.
SELECT token_address, address, balance FROM metrics_token_holders_latest
QUALIFY row_number() OVER (PARTITION BY token_address ORDER BY balance DESC, address) = 1 ORDER BY token_address;

-- metrics_network_latest: the number and weight of validators and delegators.
SELECT metric, subnet_id, point_time, metric_value FROM metrics_network_latest ORDER BY ALL;
