WITH every_transaction AS (
  SELECT
    network,
    blockchain_id,
    block_number,
    block_time,
    CASE transaction_type WHEN 0 THEN 'legacy' WHEN 1 THEN 'access_list' WHEN 2 THEN 'dynamic_fee' END AS tx_type
  FROM c_transactions
  UNION ALL
  SELECT network, blockchain_id, block_number, block_time, tx_type
  FROM c_atomic_transactions
)
SELECT
  network,
  blockchain_id,
  CAST(block_time AT TIME ZONE 'UTC' AS DATE) AS day,
  tx_type,
  count(*) AS transaction_count,
  count(DISTINCT block_number) AS block_count
FROM every_transaction
GROUP BY ALL
