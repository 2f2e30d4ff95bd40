SELECT
  network,
  blockchain_id,
  CAST(block_time AT TIME ZONE 'UTC' AS DATE) AS day,
  tx_type,
  count(*) AS transaction_count,
  count(DISTINCT height) AS block_count,
  CAST(sum(input_count) AS BIGINT) AS input_count,
  CAST(sum(output_count) AS BIGINT) AS output_count,
  CAST(sum(operation_count) AS BIGINT) AS operation_count,
  CAST(sum(burned) AS DECIMAL(38, 0)) AS burned
FROM x_transactions
GROUP BY ALL
