-- One row per contract that a transaction of an EVM chain or a contract created, from the traces. Creations that were
-- reverted are left out. An address has several rows when a contract was destroyed and created again.
--
-- contract_address: Address of the contract.
-- creator_address: Sender of the transaction, or the contract that created this one.
-- depth: Number of calls around the creation: 0 if the transaction itself creates the contract.
-- call_type: CREATE or CREATE2.
-- value: Amount that the contract received, in wei; null when it has more than 38 digits.
-- init_code: Code that created the contract, with its arguments.
-- code: Code of the contract; null where the node states none.
-- gas_used: Gas that the creation used.

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
