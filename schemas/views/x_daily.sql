-- X-Chain transactions by network, chain, UTC day and kind. Transactions of the legacy index have no block time: their
-- day is null.
--
-- day: Day in UTC; null for transactions of the legacy index.
-- transaction_count: Number of transactions.
-- block_count: Number of blocks with these transactions; 0 for transactions of the legacy index.
-- output_count: Number of UTXOs created, including exported ones.
-- burned: Native asset burned in its least unit (X-Chain: AVAX, in nAVAX); null where the native asset is unknown.
-- burned_avax: The same in AVAX, exact; null for other chains of the same virtual machine.

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
  block.network,
  block.blockchain_id,
  block.day,
  block.tx_type,
  CAST(sum(block.transaction_count) AS BIGINT) AS transaction_count,
  count(block.height) AS block_count,
  CAST(sum(block.input_count) AS BIGINT) AS input_count,
  CAST(sum(block.output_count) AS BIGINT) AS output_count,
  CAST(sum(block.operation_count) AS BIGINT) AS operation_count,
  CAST(sum(block.burned) AS DECIMAL(38, 0)) AS burned,
  CAST(sum(block.burned) FILTER (chain.network IS NOT NULL) * 0.000000001::DECIMAL(9,9) AS DECIMAL(38, 9)) AS burned_avax
FROM block
LEFT JOIN (SELECT * FROM chains WHERE alias = 'X') AS chain USING (network, blockchain_id)
GROUP BY ALL
