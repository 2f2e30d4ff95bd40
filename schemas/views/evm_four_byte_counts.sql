-- Calls of each transaction of an EVM chain by the selector of the function and the length of its arguments, as the
-- tracer 4byteTracer counts them: the transaction itself, and calls within it except creations and calls of precompiled
-- contracts (addresses up to 0xffff).
--
-- selector: First four bytes of the input, as 0x and eight digits: the function. Of a transaction that creates a
--   contract: of its code.
-- argument_bytes: Length of the rest of the input in bytes.
-- call_count: Number of such calls, reverted ones included.

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
