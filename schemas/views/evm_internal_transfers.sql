-- One row per amount of the native token that a call within a transaction of an EVM chain moved. Amounts of
-- transactions themselves are in evm_transactions. A DELEGATECALL and a CALLCODE move nothing. Arbitrum writes what the
-- chain itself moves, such as a withdrawal, as INVALID.
--
-- call_type: CALL, CREATE, CREATE2 or SELFDESTRUCT; INVALID for what the chain itself moved.
-- from_address: Contract that sent the amount.
-- to_address: Receiver.
-- value: Amount in wei; null when it has more than 38 digits.

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
