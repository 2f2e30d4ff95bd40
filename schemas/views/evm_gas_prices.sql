-- Gas prices that transactions of EVM chains paid, by UTC day: the prices that a share of the transactions did not
-- exceed. A day that the lake has read in part shows that part: see coverage (evm-blocks).
--
-- day: Day in UTC.
-- transaction_count: Number of transactions with a known price.
-- lowest: Lowest price, in wei per gas.
-- p10: Price that a tenth of the transactions did not exceed, in wei per gas.
-- p25: Price that a quarter of the transactions did not exceed, in wei per gas.
-- median: Price that half of the transactions did not exceed, in wei per gas.
-- p75: Price that three quarters of the transactions did not exceed, in wei per gas.
-- p90: Price that nine tenths of the transactions did not exceed, in wei per gas.
-- highest: Highest price, in wei per gas.

-- Transactions of one price are counted together, then ranked: quantile_disc would hold every price in memory.
WITH price AS (
  SELECT
    network,
    chain_id,
    block_date AS day,
    effective_gas_price AS price,
    count(*) AS transaction_count
  FROM evm_transactions
  WHERE effective_gas_price IS NOT NULL
  GROUP BY ALL
),
ranked AS (
  SELECT
    *,
    sum(transaction_count) OVER (PARTITION BY network, chain_id, day ORDER BY price) AS rank,
    sum(transaction_count) OVER (PARTITION BY network, chain_id, day) AS total
  FROM price
)
SELECT
  network,
  chain_id,
  day,
  CAST(sum(transaction_count) AS BIGINT) AS transaction_count,
  min(price) AS lowest,
  min(price) FILTER (rank * 10 >= total) AS p10,
  min(price) FILTER (rank * 4 >= total) AS p25,
  min(price) FILTER (rank * 2 >= total) AS median,
  min(price) FILTER (rank * 4 >= total * 3) AS p75,
  min(price) FILTER (rank * 10 >= total * 9) AS p90,
  max(price) AS highest
FROM ranked
GROUP BY ALL
