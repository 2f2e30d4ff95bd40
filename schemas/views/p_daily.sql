SELECT
  transaction.network,
  CAST(times.known_time AT TIME ZONE 'UTC' AS DATE) AS day,
  transaction.tx_type,
  count(*) AS transaction_count,
  count(DISTINCT transaction.height) AS block_count,
  CAST(sum(transaction.input_count) AS BIGINT) AS input_count,
  CAST(sum(transaction.output_count) AS BIGINT) AS output_count,
  CAST(sum(transaction.burned) AS DECIMAL(38, 0)) AS burned
FROM p_transactions AS transaction
LEFT JOIN p_block_times AS times
  ON times.network = transaction.network AND times.height = transaction.height
GROUP BY ALL
