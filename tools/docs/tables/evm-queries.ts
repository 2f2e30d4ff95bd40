import type { ExampleQueries } from './example-query.ts'

/** Example queries on tables and views of EVM chains. */
export const evmQueries: ExampleQueries = {
  evm_blocks: {
    says: 'the newest blocks with their base fee in gwei.',
    sql: `SELECT block_number, block_time, transaction_count, log_count, gas_used, base_fee_per_gas / 1e9 AS base_fee_gwei
FROM evm_blocks ORDER BY block_number DESC LIMIT 10`,
  },
  evm_transactions: {
    says: 'the transactions that paid the highest fees.',
    sql: `SELECT transaction_hash, from_address, to_address, status, gas_used * effective_gas_price / 1e18 AS fee_avax
FROM evm_transactions ORDER BY fee_avax DESC, transaction_hash LIMIT 10`,
  },
  evm_logs: {
    says: 'the most frequent events by contract and first topic.',
    sql: `SELECT address, topic0, count(*) AS logs FROM evm_logs
GROUP BY ALL ORDER BY logs DESC, address, topic0 LIMIT 10`,
  },
  evm_token_transfers: {
    says: 'the tokens that move most, with their symbols.',
    sql: `SELECT t.standard, t.token_address, k.symbol, count(*) AS transfers FROM evm_token_transfers AS t
LEFT JOIN (SELECT DISTINCT network, chain_id, token_address, symbol FROM evm_tokens) AS k
  USING (network, chain_id, token_address)
GROUP BY ALL ORDER BY transfers DESC, token_address LIMIT 10`,
  },
  evm_token_balances: {
    says: 'the largest holder of each ERC-20 token.',
    sql: `SELECT token_address, address, balance FROM evm_token_balances WHERE standard = 'erc20' AND next_day IS NULL
QUALIFY row_number() OVER (PARTITION BY token_address ORDER BY balance DESC, address) = 1 ORDER BY token_address`,
  },
  evm_daily: {
    says: 'activity by day.',
    sql: 'SELECT day, transaction_count, failed_count, sender_count, fees_in_tokens FROM evm_daily ORDER BY day',
  },
  evm_gas_prices: {
    says: 'gas prices by day, in gwei.',
    sql: 'SELECT day, lowest / 1e9 AS lowest, median / 1e9 AS median, highest / 1e9 AS highest FROM evm_gas_prices ORDER BY day',
  },
  evm_traces: {
    says: 'calls by type and depth, and how many were reverted.',
    sql: `SELECT call_type, depth, count(*) AS calls, count(*) FILTER (reverted) AS reverted
FROM evm_traces GROUP BY ALL ORDER BY ALL`,
  },
  evm_internal_transfers: {
    says: 'the largest amounts that contracts moved.',
    sql: `SELECT transaction_hash, from_address, to_address, value / 1e18 AS avax FROM evm_internal_transfers
ORDER BY value DESC NULLS LAST, transaction_hash LIMIT 10`,
  },
  evm_contracts: {
    says: 'the newest contracts and their creators.',
    sql: `SELECT contract_address, creator_address, block_number, gas_used FROM evm_contracts
ORDER BY block_number DESC, contract_address LIMIT 10`,
  },
  evm_four_byte_counts: {
    says: 'the functions that transactions call most, by selector.',
    sql: `SELECT selector, argument_bytes, sum(call_count) AS calls FROM evm_four_byte_counts
GROUP BY ALL ORDER BY calls DESC, selector LIMIT 10`,
  },
  evm_calls: {
    says: 'answers of contracts by function and outcome.',
    sql: 'SELECT function, status, count(*) AS calls FROM evm_calls GROUP BY ALL ORDER BY ALL',
  },
  evm_tokens: {
    says: 'tokens with their supply in whole tokens.',
    sql: `SELECT token_address, name, symbol, total_supply / 10 ** decimals AS supply FROM evm_tokens
ORDER BY token_address, block_number LIMIT 10`,
  },
  evm_event_failures: {
    says: 'logs that could not be decoded, by reason.',
    sql: 'SELECT contract, table_name, reason, count(*) AS logs FROM evm_event_failures GROUP BY ALL ORDER BY ALL',
  },
  evm_balances: {
    says: 'the balances of accounts at the last block that was read.',
    sql: `SELECT address, block_number, balance / 1e18 AS avax FROM evm_balances
QUALIFY block_number = max(block_number) OVER () ORDER BY balance DESC NULLS LAST, address LIMIT 10`,
  },
  evm_storage: {
    says: 'slots that changed between the blocks that were read.',
    sql: `SELECT address, slot, count(DISTINCT slot_value) AS contents FROM evm_storage
GROUP BY ALL HAVING contents > 1 ORDER BY contents DESC, address, slot LIMIT 10`,
  },
  evm_balance_changes: {
    says: 'the accounts that gained most, in whole AVAX.',
    sql: `SELECT address, sum(balance_after - balance_before) / 1e18 AS gained FROM evm_balance_changes
GROUP BY ALL ORDER BY gained DESC NULLS LAST, address LIMIT 10`,
  },
  evm_storage_changes: {
    says: 'the contracts with the most changes of storage.',
    sql: `SELECT address, count(*) AS changes, count(DISTINCT slot) AS slots FROM evm_storage_changes
GROUP BY ALL ORDER BY changes DESC, address LIMIT 10`,
  },
}
