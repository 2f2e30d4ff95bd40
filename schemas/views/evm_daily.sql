-- Senders and receivers are counted by groups: a count of distinct addresses would have to fit into memory.
WITH transaction AS (
  SELECT
    network,
    chain_id,
    block_date AS day,
    from_address,
    to_address,
    contract_address,
    status,
    gas_used,
    -- A higher price could make the product longer than 38 digits.
    CASE WHEN effective_gas_price < 10000000000000000000::DECIMAL(38,0) THEN effective_gas_price::HUGEINT * gas_used END AS fee
  FROM evm_transactions
),
spent AS (
  SELECT
    network,
    chain_id,
    day,
    count(*) AS transaction_count,
    count(*) FILTER (status = 0) AS failed_count,
    count(contract_address) FILTER (status IS DISTINCT FROM 0) AS contract_count,
    sum(gas_used) AS gas_used,
    CASE WHEN count(fee) = count(*) THEN sum(fee) END AS fees
  FROM transaction
  GROUP BY ALL
),
sender AS (
  SELECT network, chain_id, day, count(*) AS sender_count
  FROM (SELECT DISTINCT network, chain_id, day, from_address FROM transaction)
  GROUP BY ALL
),
receiver AS (
  SELECT network, chain_id, day, count(*) AS receiver_count
  FROM (SELECT DISTINCT network, chain_id, day, to_address FROM transaction WHERE to_address IS NOT NULL)
  GROUP BY ALL
),
block AS (
  SELECT network, chain_id, block_date AS day, count(*) AS block_count
  FROM evm_blocks
  GROUP BY ALL
)
SELECT
  block.network,
  block.chain_id,
  block.day,
  block.block_count,
  coalesce(spent.transaction_count, 0) AS transaction_count,
  coalesce(spent.failed_count, 0) AS failed_count,
  coalesce(sender.sender_count, 0) AS sender_count,
  coalesce(receiver.receiver_count, 0) AS receiver_count,
  coalesce(spent.contract_count, 0) AS contract_count,
  CAST(coalesce(spent.gas_used, 0) AS BIGINT) AS gas_used,
  CAST(CASE WHEN spent.transaction_count IS NULL THEN 0 ELSE spent.fees END AS DECIMAL(38,0)) AS fees,
  -- Exact: the whole tokens and the rest separately.
  CASE
    WHEN spent.transaction_count IS NULL THEN 0
    ELSE CAST(spent.fees // 1000000000000000000 AS DECIMAL(38,18))
      + CAST(spent.fees % 1000000000000000000 AS DECIMAL(18,0)) * 0.000000000000000001::DECIMAL(18,18)
  END::DECIMAL(38,18) AS fees_in_tokens
FROM block
LEFT JOIN spent
  ON spent.network = block.network AND spent.chain_id = block.chain_id AND spent.day IS NOT DISTINCT FROM block.day
LEFT JOIN sender
  ON sender.network = block.network AND sender.chain_id = block.chain_id AND sender.day IS NOT DISTINCT FROM block.day
LEFT JOIN receiver
  ON receiver.network = block.network AND receiver.chain_id = block.chain_id AND receiver.day IS NOT DISTINCT FROM block.day
