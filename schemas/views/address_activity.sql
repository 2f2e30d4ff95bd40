-- Every table in which an address occurs: one row per address, table and chain. Built-in tables count with their
-- columns of addresses, also those of contracts and tokens; topics of logs, bytes, nested values and rest_icm_messages
-- do not. A query for one address is fast; one without WHERE address = … groups all rows of the lake.
--
-- network: Network: mainnet, fuji, local, network-<id> or evm-<chain id>.
-- chain_id: Chain of the rows as the table names it: a blockchain id, or the EVM chain id in the tables evm_ and most
--   of rest_. Tables without it are about the P-Chain.
-- address: Address as in the tables: bech32 without chain prefix, or 0x in lower case.
-- table_name: Name of the table.
-- row_count: Number of rows in which the address occurs; a row counts once. In tables of observations each observation
--   has rows.
-- first_time: Earliest block_time or observed_at of these rows (UTC). Rows without a time are left out, such as most of
--   the P-Chain before Apricot Phase 4: see first_height.
-- last_time: Latest block_time or observed_at of these rows (UTC).
-- first_height: Lowest height or block number of these rows; null for tables without one.
-- last_height: Highest height or block number of these rows; null for tables without one.

SELECT
  network,
  chain_id,
  address,
  table_name,
  count(*) AS row_count,
  min(row_time) AS first_time,
  max(row_time) AS last_time,
  min(height) AS first_height,
  max(height) AS last_height
-- The rest is generated from the tables: npm run ids.
FROM (
SELECT network, '11111111111111111111111111111111LpoYY' AS chain_id, 'p_transactions' AS table_name, block_time AS row_time, height AS height, unnest(list_distinct(flatten([owner_addresses]))) AS address FROM p_transactions
UNION ALL
SELECT network, '11111111111111111111111111111111LpoYY' AS chain_id, 'p_outputs' AS table_name, block_time AS row_time, height AS height, unnest(list_distinct(flatten([addresses]))) AS address FROM p_outputs
UNION ALL
SELECT network, '11111111111111111111111111111111LpoYY' AS chain_id, 'p_validations' AS table_name, block_time AS row_time, height AS height, unnest(list_distinct(flatten([validation_reward_owner_addresses, delegation_reward_owner_addresses, remaining_balance_owner_addresses, deactivation_owner_addresses, validator_authority_addresses]))) AS address FROM p_validations
UNION ALL
SELECT network, '11111111111111111111111111111111LpoYY' AS chain_id, 'p_credentials' AS table_name, block_time AS row_time, height AS height, address AS address FROM p_credentials WHERE address IS NOT NULL
UNION ALL
SELECT network, '11111111111111111111111111111111LpoYY' AS chain_id, 'p_state_outputs' AS table_name, NULL::TIMESTAMPTZ AS row_time, NULL::BIGINT AS height, unnest(list_distinct(flatten([addresses]))) AS address FROM p_state_outputs
UNION ALL
SELECT network, blockchain_id AS chain_id, 'x_outputs' AS table_name, block_time AS row_time, height AS height, unnest(list_distinct(flatten([addresses]))) AS address FROM x_outputs
UNION ALL
SELECT network, blockchain_id AS chain_id, 'x_credentials' AS table_name, block_time AS row_time, height AS height, address AS address FROM x_credentials WHERE address IS NOT NULL
UNION ALL
SELECT network, blockchain_id AS chain_id, 'x_state_outputs' AS table_name, NULL::TIMESTAMPTZ AS row_time, NULL::BIGINT AS height, unnest(list_distinct(flatten([addresses]))) AS address FROM x_state_outputs
UNION ALL
SELECT network, blockchain_id AS chain_id, 'c_blocks' AS table_name, block_time AS row_time, block_number AS height, miner AS address FROM c_blocks WHERE miner IS NOT NULL
UNION ALL
SELECT network, blockchain_id AS chain_id, 'c_transactions' AS table_name, block_time AS row_time, block_number AS height, to_address AS address FROM c_transactions WHERE to_address IS NOT NULL
UNION ALL
SELECT network, blockchain_id AS chain_id, 'c_senders' AS table_name, block_time AS row_time, block_number AS height, from_address AS address FROM c_senders WHERE from_address IS NOT NULL
UNION ALL
SELECT network, blockchain_id AS chain_id, 'c_atomic_inputs' AS table_name, block_time AS row_time, block_number AS height, evm_address AS address FROM c_atomic_inputs WHERE evm_address IS NOT NULL
UNION ALL
SELECT network, blockchain_id AS chain_id, 'c_atomic_outputs' AS table_name, block_time AS row_time, block_number AS height, evm_address AS address FROM c_atomic_outputs WHERE evm_address IS NOT NULL
UNION ALL
SELECT * EXCLUDE (evm_address) FROM (SELECT network, blockchain_id AS chain_id, 'c_atomic_outputs' AS table_name, block_time AS row_time, block_number AS height, unnest(list_distinct(flatten([addresses]))) AS address, evm_address FROM c_atomic_outputs) WHERE (address = evm_address) IS NOT TRUE
UNION ALL
SELECT network, blockchain_id AS chain_id, 'c_credentials' AS table_name, block_time AS row_time, block_number AS height, address AS address FROM c_credentials WHERE address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_blocks' AS table_name, block_time AS row_time, block_number AS height, miner AS address FROM evm_blocks WHERE miner IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_transactions' AS table_name, block_time AS row_time, block_number AS height, from_address AS address FROM evm_transactions WHERE from_address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_transactions' AS table_name, block_time AS row_time, block_number AS height, to_address AS address FROM evm_transactions WHERE to_address IS NOT NULL AND (to_address = from_address) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_transactions' AS table_name, block_time AS row_time, block_number AS height, contract_address AS address FROM evm_transactions WHERE contract_address IS NOT NULL AND (contract_address = from_address) IS NOT TRUE AND (contract_address = to_address) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_logs' AS table_name, block_time AS row_time, block_number AS height, address AS address FROM evm_logs WHERE address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_token_transfers' AS table_name, block_time AS row_time, block_number AS height, token_address AS address FROM evm_token_transfers WHERE token_address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_token_transfers' AS table_name, block_time AS row_time, block_number AS height, from_address AS address FROM evm_token_transfers WHERE from_address IS NOT NULL AND (from_address = token_address) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_token_transfers' AS table_name, block_time AS row_time, block_number AS height, to_address AS address FROM evm_token_transfers WHERE to_address IS NOT NULL AND (to_address = token_address) IS NOT TRUE AND (to_address = from_address) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_token_transfers' AS table_name, block_time AS row_time, block_number AS height, operator_address AS address FROM evm_token_transfers WHERE operator_address IS NOT NULL AND (operator_address = token_address) IS NOT TRUE AND (operator_address = from_address) IS NOT TRUE AND (operator_address = to_address) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_traces' AS table_name, block_time AS row_time, block_number AS height, from_address AS address FROM evm_traces WHERE from_address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_traces' AS table_name, block_time AS row_time, block_number AS height, to_address AS address FROM evm_traces WHERE to_address IS NOT NULL AND (to_address = from_address) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_tokens' AS table_name, block_time AS row_time, block_number AS height, token_address AS address FROM evm_tokens WHERE token_address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_balances' AS table_name, block_time AS row_time, block_number AS height, address AS address FROM evm_balances WHERE address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_codes' AS table_name, block_time AS row_time, block_number AS height, address AS address FROM evm_codes WHERE address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_nonces' AS table_name, block_time AS row_time, block_number AS height, address AS address FROM evm_nonces WHERE address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_storage' AS table_name, block_time AS row_time, block_number AS height, address AS address FROM evm_storage WHERE address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_balance_changes' AS table_name, block_time AS row_time, block_number AS height, address AS address FROM evm_balance_changes WHERE address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_code_changes' AS table_name, block_time AS row_time, block_number AS height, address AS address FROM evm_code_changes WHERE address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_nonce_changes' AS table_name, block_time AS row_time, block_number AS height, address AS address FROM evm_nonce_changes WHERE address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_state_reads' AS table_name, block_time AS row_time, block_number AS height, address AS address FROM evm_state_reads WHERE address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'evm_storage_changes' AS table_name, block_time AS row_time, block_number AS height, address AS address FROM evm_storage_changes WHERE address IS NOT NULL
UNION ALL
SELECT network, '11111111111111111111111111111111LpoYY' AS chain_id, 'node_validators' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, unnest(list_distinct(flatten([validation_reward_owner_addresses, delegation_reward_owner_addresses, validator_authority_addresses]))) AS address FROM node_validators
UNION ALL
SELECT network, '11111111111111111111111111111111LpoYY' AS chain_id, 'node_delegators' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, unnest(list_distinct(flatten([reward_owner_addresses]))) AS address FROM node_delegators
UNION ALL
SELECT network, '11111111111111111111111111111111LpoYY' AS chain_id, 'node_l1_validators' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, unnest(list_distinct(flatten([remaining_balance_owner_addresses, deactivation_owner_addresses]))) AS address FROM node_l1_validators
UNION ALL
SELECT network, chain_id AS chain_id, 'node_evm_proofs' AS table_name, block_time AS row_time, block_number AS height, address AS address FROM node_evm_proofs WHERE address IS NOT NULL
UNION ALL
SELECT network, blockchain_id AS chain_id, 'node_utxos' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, unnest(list_distinct(flatten([addresses]))) AS address FROM node_utxos
UNION ALL
SELECT network, blockchain_id AS chain_id, 'node_balances' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, address AS address FROM node_balances WHERE address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'node_txpool' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, from_address AS address FROM node_txpool WHERE from_address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'node_txpool' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, to_address AS address FROM node_txpool WHERE to_address IS NOT NULL AND (to_address = from_address) IS NOT TRUE
UNION ALL
SELECT network, '11111111111111111111111111111111LpoYY' AS chain_id, 'node_subnets' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, unnest(list_distinct(flatten([owner_addresses]))) AS address FROM node_subnets
UNION ALL
SELECT network, blockchain_id AS chain_id, 'rest_p_transactions' AS table_name, block_time AS row_time, height AS height, unnest(list_distinct(flatten([reward_addresses, owner_addresses]))) AS address FROM rest_p_transactions
UNION ALL
SELECT network, blockchain_id AS chain_id, 'rest_utxos' AS table_name, block_time AS row_time, height AS height, unnest(list_distinct(flatten([addresses]))) AS address FROM rest_utxos
UNION ALL
SELECT network, '11111111111111111111111111111111LpoYY' AS chain_id, 'rest_rewards' AS table_name, NULL::TIMESTAMPTZ AS row_time, NULL::BIGINT AS height, unnest(list_distinct(flatten([addresses]))) AS address FROM rest_rewards
UNION ALL
SELECT network, '11111111111111111111111111111111LpoYY' AS chain_id, 'rest_pending_rewards' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, unnest(list_distinct(flatten([addresses]))) AS address FROM rest_pending_rewards
UNION ALL
SELECT network, '11111111111111111111111111111111LpoYY' AS chain_id, 'rest_validators' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, unnest(list_distinct(flatten([reward_addresses]))) AS address FROM rest_validators
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_erc20_transfers' AS table_name, block_time AS row_time, block_number AS height, from_address AS address FROM rest_erc20_transfers WHERE from_address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_erc20_transfers' AS table_name, block_time AS row_time, block_number AS height, to_address AS address FROM rest_erc20_transfers WHERE to_address IS NOT NULL AND (to_address = from_address) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_erc20_transfers' AS table_name, block_time AS row_time, block_number AS height, token_address AS address FROM rest_erc20_transfers WHERE token_address IS NOT NULL AND (token_address = from_address) IS NOT TRUE AND (token_address = to_address) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_erc721_transfers' AS table_name, block_time AS row_time, block_number AS height, from_address AS address FROM rest_erc721_transfers WHERE from_address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_erc721_transfers' AS table_name, block_time AS row_time, block_number AS height, to_address AS address FROM rest_erc721_transfers WHERE to_address IS NOT NULL AND (to_address = from_address) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_erc721_transfers' AS table_name, block_time AS row_time, block_number AS height, token_address AS address FROM rest_erc721_transfers WHERE token_address IS NOT NULL AND (token_address = from_address) IS NOT TRUE AND (token_address = to_address) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_erc721_transfers' AS table_name, block_time AS row_time, block_number AS height, token_owner_address AS address FROM rest_erc721_transfers WHERE token_owner_address IS NOT NULL AND (token_owner_address = from_address) IS NOT TRUE AND (token_owner_address = to_address) IS NOT TRUE AND (token_owner_address = token_address) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_erc1155_transfers' AS table_name, block_time AS row_time, block_number AS height, from_address AS address FROM rest_erc1155_transfers WHERE from_address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_erc1155_transfers' AS table_name, block_time AS row_time, block_number AS height, to_address AS address FROM rest_erc1155_transfers WHERE to_address IS NOT NULL AND (to_address = from_address) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_erc1155_transfers' AS table_name, block_time AS row_time, block_number AS height, token_address AS address FROM rest_erc1155_transfers WHERE token_address IS NOT NULL AND (token_address = from_address) IS NOT TRUE AND (token_address = to_address) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_native_balances' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, address AS address FROM rest_native_balances WHERE address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_erc721_balances' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, owner AS address FROM rest_erc721_balances WHERE owner IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_erc721_balances' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, token_address AS address FROM rest_erc721_balances WHERE token_address IS NOT NULL AND (token_address = owner) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_erc1155_balances' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, owner AS address FROM rest_erc1155_balances WHERE owner IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_erc1155_balances' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, token_address AS address FROM rest_erc1155_balances WHERE token_address IS NOT NULL AND (token_address = owner) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_collectible_balances' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, owner AS address FROM rest_collectible_balances WHERE owner IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_collectible_balances' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, token_address AS address FROM rest_collectible_balances WHERE token_address IS NOT NULL AND (token_address = owner) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_erc20_balances' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, owner AS address FROM rest_erc20_balances WHERE owner IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_erc20_balances' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, token_address AS address FROM rest_erc20_balances WHERE token_address IS NOT NULL AND (token_address = owner) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_internal_transactions' AS table_name, block_time AS row_time, block_number AS height, address AS address FROM rest_internal_transactions WHERE address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_internal_transactions' AS table_name, block_time AS row_time, block_number AS height, from_address AS address FROM rest_internal_transactions WHERE from_address IS NOT NULL AND (from_address = address) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_internal_transactions' AS table_name, block_time AS row_time, block_number AS height, to_address AS address FROM rest_internal_transactions WHERE to_address IS NOT NULL AND (to_address = address) IS NOT TRUE AND (to_address = from_address) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_native_transactions' AS table_name, block_time AS row_time, block_number AS height, from_address AS address FROM rest_native_transactions WHERE from_address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'rest_native_transactions' AS table_name, block_time AS row_time, block_number AS height, to_address AS address FROM rest_native_transactions WHERE to_address IS NOT NULL AND (to_address = from_address) IS NOT TRUE
UNION ALL
SELECT network, chain_id AS chain_id, 'metrics_token_holders' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, token_address AS address FROM metrics_token_holders WHERE token_address IS NOT NULL
UNION ALL
SELECT network, chain_id AS chain_id, 'metrics_token_holders' AS table_name, observed_at AS row_time, NULL::BIGINT AS height, address AS address FROM metrics_token_holders WHERE address IS NOT NULL AND (address = token_address) IS NOT TRUE
)
GROUP BY ALL
