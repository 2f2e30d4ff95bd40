SELECT
  network,
  chain_id,
  to_address AS contract_address,
  from_address AS creator_address,
  block_number,
  block_time,
  transaction_index,
  transaction_hash,
  trace_index,
  depth,
  call_type,
  value,
  value_raw,
  input AS init_code,
  output AS code,
  gas_used
FROM evm_traces
WHERE call_type IN ('CREATE', 'CREATE2') AND NOT reverted
