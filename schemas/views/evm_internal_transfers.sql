SELECT
  network,
  chain_id,
  block_number,
  block_time,
  transaction_index,
  transaction_hash,
  trace_index,
  trace_address,
  call_type,
  from_address,
  to_address,
  value,
  value_raw
FROM evm_traces
WHERE depth > 0
  AND NOT reverted
  AND call_type IN ('CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT', 'INVALID')
  AND value_raw <> '0'
