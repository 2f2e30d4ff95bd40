-- Blocks are counted by groups: a count of distinct heights would have to fit into memory.
WITH block AS (
  SELECT
    network,
    blockchain_id,
    block_date AS day,
    tx_type,
    height,
    count(*) AS transaction_count,
    sum(input_count) AS input_count,
    sum(output_count) AS output_count,
    sum(operation_count) AS operation_count,
    sum(burned) AS burned
  FROM x_transactions
  GROUP BY ALL
)
SELECT
  network,
  blockchain_id,
  day,
  tx_type,
  CAST(sum(transaction_count) AS BIGINT) AS transaction_count,
  count(height) AS block_count,
  CAST(sum(input_count) AS BIGINT) AS input_count,
  CAST(sum(output_count) AS BIGINT) AS output_count,
  CAST(sum(operation_count) AS BIGINT) AS operation_count,
  CAST(sum(burned) AS DECIMAL(38, 0)) AS burned
FROM block
GROUP BY ALL
