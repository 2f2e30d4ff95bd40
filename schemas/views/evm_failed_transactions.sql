-- One row per failed transaction of an EVM chain (status 0), with the reason where the lake has its trace (pipeline
-- evm-traces).
--
-- reason: Why it failed: the text in the revert data, otherwise the error that the node states; null without a trace.
-- error: The error that the node states, such as execution reverted or out of gas; null without a trace.
-- revert_data: What the transaction returned when it reverted; null without a trace, and where it returned nothing.

SELECT
  transaction.network,
  transaction.chain_id,
  transaction.block_number,
  transaction.block_time,
  transaction.transaction_index,
  transaction.transaction_hash,
  transaction.from_address,
  transaction.to_address,
  transaction.method_id,
  transaction.gas_limit,
  transaction.gas_used,
  coalesce(trace.revert_reason, trace.error) AS reason,
  trace.error,
  -- Some clients write 0x where others write nothing.
  nullif(trace.output, ''::BLOB) AS revert_data
FROM (SELECT * FROM evm_transactions WHERE status = 0) AS transaction
LEFT JOIN (SELECT * FROM evm_traces WHERE trace_index = 0) AS trace USING (network, chain_id, block_number, transaction_index)
