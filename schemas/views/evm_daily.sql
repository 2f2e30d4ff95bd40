-- Blocks, transactions, addresses, gas and fees of EVM chains by UTC day. A day that the lake has read in part shows
-- that part: see coverage (evm-blocks).
--
-- day: Day in UTC.
-- block_count: Number of blocks.
-- transaction_count: Number of transactions.
-- failed_count: Number of transactions that failed (status 0).
-- sender_count: Number of addresses that sent a transaction.
-- receiver_count: Number of addresses that transactions were sent to.
-- contract_count: Number of contracts that transactions created. Contracts that contracts created are in
--   evm_contracts_created.
-- gas_used: Gas that the transactions used.
-- fees: Gas used times effective gas price, in wei, and the fee for L1 where a receipt states one (OP stack, Scroll);
--   fees for blobs are not included. Null where the node returned no price for a transaction, or one of 10^19 wei
--   or more. A transaction without a receipt counts as one without a fee.
-- fees_in_tokens: The same in whole native tokens (10^18 wei), exact.

-- Senders and receivers are counted by groups: a count of distinct addresses would have to fit into memory. Counts are put together by groups,
-- not by joins, so that a condition on the day reaches the rows of each table.
WITH block AS (
  SELECT network, chain_id, block_date AS day, count(*) AS block_count
  FROM evm_blocks
  GROUP BY ALL
),
transaction AS (
  SELECT
    network,
    chain_id,
    block_date AS day,
    count(*) AS transaction_count,
    count(*) FILTER (status = 0) AS failed_count,
    count(contract_address) FILTER (status IS DISTINCT FROM 0) AS contract_count,
    sum(gas_used) AS gas_used,
    -- A transaction without a receipt was not executed by this block and paid nothing.
    CASE WHEN count(fee) = count(gas_used) THEN CAST(coalesce(sum(fee), 0) AS HUGEINT) END AS fees
  FROM (
    SELECT
      *,
      -- A higher price or fee could make the sum longer than 38 digits. Decimals are multiplied much faster than they become a HUGEINT.
      TRY_CAST(effective_gas_price AS DECIMAL(19,0)) * CAST(gas_used AS DECIMAL(19,0))
        + CASE WHEN l1_fee_raw IS NULL THEN 0 ELSE TRY_CAST(l1_fee AS DECIMAL(29,0)) END AS fee
    FROM evm_transactions
  )
  GROUP BY ALL
),
sender AS (
  SELECT network, chain_id, day, count(*) AS sender_count
  FROM (SELECT DISTINCT network, chain_id, block_date AS day, from_address FROM evm_transactions)
  GROUP BY ALL
),
receiver AS (
  SELECT network, chain_id, day, count(*) AS receiver_count
  FROM (SELECT DISTINCT network, chain_id, block_date AS day, to_address FROM evm_transactions WHERE to_address IS NOT NULL)
  GROUP BY ALL
),
counted AS (
  SELECT
    network,
    chain_id,
    day,
    CAST(sum(block_count) AS BIGINT) AS block_count,
    CAST(coalesce(sum(transaction_count), 0) AS BIGINT) AS transaction_count,
    CAST(coalesce(sum(failed_count), 0) AS BIGINT) AS failed_count,
    CAST(coalesce(sum(sender_count), 0) AS BIGINT) AS sender_count,
    CAST(coalesce(sum(receiver_count), 0) AS BIGINT) AS receiver_count,
    CAST(coalesce(sum(contract_count), 0) AS BIGINT) AS contract_count,
    CAST(coalesce(sum(gas_used), 0) AS BIGINT) AS gas_used,
    CASE WHEN sum(transaction_count) IS NULL THEN 0 ELSE sum(fees) END AS fees
  FROM (
    SELECT * FROM block
    UNION ALL BY NAME SELECT * FROM transaction
    UNION ALL BY NAME SELECT * FROM sender
    UNION ALL BY NAME SELECT * FROM receiver
  )
  GROUP BY ALL
  HAVING sum(block_count) > 0
)
SELECT
  * REPLACE (CAST(fees AS DECIMAL(38,0)) AS fees),
  -- Exact: the whole tokens and the rest separately.
  CAST(
    CAST(fees // 1000000000000000000 AS DECIMAL(38,18))
      + CAST(fees % 1000000000000000000 AS DECIMAL(18,0)) * 0.000000000000000001::DECIMAL(18,18)
    AS DECIMAL(38,18)
  ) AS fees_in_tokens
FROM counted
