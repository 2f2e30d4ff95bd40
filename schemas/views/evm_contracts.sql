SELECT
  network,
  chain_id,
  contract_address,
  from_address AS creator_address,
  block_number,
  block_time,
  transaction_index,
  transaction_hash,
  octet_length(input) AS init_code_bytes,
  gas_used
FROM evm_transactions
WHERE contract_address IS NOT NULL AND status IS DISTINCT FROM 0
