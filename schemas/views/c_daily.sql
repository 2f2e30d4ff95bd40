-- EVM and atomic transactions of the C-Chain by network, UTC day and kind. Gas and fees are missing, because they are
-- in receipts.
--
-- day: Day in UTC.
-- tx_type: legacy, access_list or dynamic_fee (EVM types 0, 1 and 2); ImportTx or ExportTx (atomic ones).
-- transaction_count: Number of transactions.
-- block_count: Number of blocks with these transactions.

-- Blocks are counted by groups: a count of distinct numbers would have to fit into memory.
WITH every_transaction AS (
  SELECT
    network,
    blockchain_id,
    block_number,
    block_date,
    CASE transaction_type WHEN 0 THEN 'legacy' WHEN 1 THEN 'access_list' WHEN 2 THEN 'dynamic_fee' END AS tx_type
  FROM c_transactions
  UNION ALL
  SELECT network, blockchain_id, block_number, block_date, tx_type
  FROM c_atomic_transactions
),
block AS (
  SELECT
    network,
    blockchain_id,
    block_date AS day,
    tx_type,
    block_number,
    count(*) AS transaction_count
  FROM every_transaction
  GROUP BY ALL
)
SELECT
  network,
  blockchain_id,
  day,
  tx_type,
  CAST(sum(transaction_count) AS BIGINT) AS transaction_count,
  count(block_number) AS block_count
FROM block
GROUP BY ALL
