-- P-Chain transactions by network, UTC day and kind, including aborted proposals. Blocks without a time count for the
-- day of the last committed time (p_block_times).
--
-- day: Day in UTC; null before the first known time.
-- transaction_count: Number of transactions.
-- block_count: Number of blocks with these transactions.
-- burned: AVAX burned, in nAVAX; null where it is null for all of these transactions.
-- burned_avax: The same in AVAX, exact.

-- Blocks are counted by groups: a count of distinct heights would have to fit into memory.
WITH block AS (
  SELECT
    transaction.network,
    times.block_date AS day,
    transaction.tx_type,
    transaction.height,
    count(*) AS transaction_count,
    sum(transaction.input_count) AS input_count,
    sum(transaction.output_count) AS output_count,
    sum(transaction.burned) AS burned
  FROM p_transactions AS transaction
  LEFT JOIN p_block_times AS times USING (network, height)
  GROUP BY ALL
)
SELECT
  network,
  day,
  tx_type,
  CAST(sum(transaction_count) AS BIGINT) AS transaction_count,
  count(height) AS block_count,
  CAST(sum(input_count) AS BIGINT) AS input_count,
  CAST(sum(output_count) AS BIGINT) AS output_count,
  CAST(sum(burned) AS DECIMAL(38, 0)) AS burned,
  CAST(sum(burned) * 0.000000001::DECIMAL(9,9) AS DECIMAL(38, 9)) AS burned_avax
FROM block
GROUP BY ALL
