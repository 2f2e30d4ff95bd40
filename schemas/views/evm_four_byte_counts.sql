SELECT
  network,
  chain_id,
  block_number,
  block_time,
  transaction_index,
  transaction_hash,
  '0x' || lower(hex(input[1:4])) AS selector,
  octet_length(input) - 4 AS argument_bytes,
  count(*) AS call_count
FROM evm_traces
WHERE octet_length(input) >= 4
  AND (
    depth = 0
    OR (
      call_type IN ('CALL', 'STATICCALL', 'DELEGATECALL', 'CALLCODE')
      AND to_address > '0x000000000000000000000000000000000000ffff'
    )
  )
GROUP BY ALL
