-- One row per contract that a transaction of an EVM chain created. Contracts that contracts created, such as those of
-- factories, are those of evm_contracts_created: of blocks that evm-traces has read.
--
-- contract_address: Address of the contract.
-- trace_index: Position of the creation among the calls of the transaction; 0 if the transaction itself creates the
--   contract.
-- init_code_bytes: Size in bytes of the code that created the contract.
-- gas_used: Gas that the transaction used, or the creation within it.

SELECT
  network,
  chain_id,
  contract_address,
  from_address AS creator_address,
  block_number,
  block_time,
  transaction_index,
  transaction_hash,
  0 AS trace_index,
  octet_length(input) AS init_code_bytes,
  gas_used
FROM evm_transactions
WHERE contract_address IS NOT NULL AND status IS DISTINCT FROM 0
UNION ALL BY NAME
SELECT
  * EXCLUDE (depth, call_type, value, value_raw, init_code, code, block_date) REPLACE (gas_used::BIGINT AS gas_used),
  octet_length(init_code) AS init_code_bytes
FROM evm_contracts_created AS created
WHERE depth > 0
  OR NOT EXISTS (
    FROM evm_transactions AS own
    WHERE own.network = created.network
      AND own.chain_id = created.chain_id
      AND own.block_number = created.block_number
      AND own.transaction_index = created.transaction_index
  )
