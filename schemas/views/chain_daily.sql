-- Blocks, transactions and burned fees of every chain in the lake by UTC day: the P-, X- and C-Chain and every other EVM
-- chain. A day that the lake has read in part shows that part: see coverage.
--
-- chain: P, X or C; the EVM chain id in decimal digits for another EVM chain, the blockchain id for another chain of
--   the asset VM.
-- day: Day in UTC; null for blocks without a known time, and for transactions of the legacy index of the X-Chain.
-- read_from: Table that was counted: p_blocks, x_blocks, c_blocks or evm_blocks. A lake may have the C-Chain twice. Of
--   a day it is counted once: from evm_blocks, unless c_blocks has more blocks of that day.
-- block_count: Number of blocks.
-- transaction_count: Number of transactions, of the P-Chain including aborted proposals, of the C-Chain without atomic
--   ones.
-- atomic_transaction_count: Number of atomic transactions of the C-Chain, which are in c_blocks only; null where the
--   lake does not have these blocks, and for other chains.
-- active_address_count: Number of addresses that sent a transaction or that one was sent to, each once; null unless
--   read_from is evm_blocks.
-- burned_in_tokens: Tokens burned on the P-, X- or C-Chain, in AVAX, exact. The C-Chain burns all fees; those of its atomic transactions
--   count where atomic_transaction_count is not null. Null for the C-Chain from c_blocks, which has no receipts, where a
--   fee is not known, and for other chains, which may pay fees to somebody.
-- fees_in_tokens: Fees that transactions of an EVM chain paid in whole native tokens (10^18 wei), exact; null unless
--   read_from is evm_blocks, and where a fee is not known: see fees of evm_daily.

-- Counts are put together by groups, not by joins, so that a condition on the day reaches the rows of each table.
WITH evm AS (
  SELECT
    network,
    -- Only the C-Chain has this field.
    CASE WHEN bool_or(has_atomic_data) THEN 'C' ELSE chain_id END AS chain,
    day,
    sum(block_count) AS evm_block_count,
    coalesce(sum(transaction_count), 0) AS evm_transaction_count,
    coalesce(sum(address_count), 0) AS address_count,
    CASE WHEN sum(transaction_count) IS NULL THEN 0 ELSE sum(fees) END AS fees
  FROM (
    SELECT network, chain_id, block_date AS day, count(*) AS block_count, bool_or(ext_data_hash IS NOT NULL) AS has_atomic_data
    FROM evm_blocks
    GROUP BY ALL
    UNION ALL BY NAME
    SELECT
      network,
      chain_id,
      block_date AS day,
      count(*) AS transaction_count,
      -- A transaction without a receipt was not executed by this block and paid nothing.
      CASE WHEN count(fee) = count(gas_used) THEN CAST(coalesce(sum(fee), 0) AS HUGEINT) END AS fees
    FROM (
      SELECT
        network,
        chain_id,
        block_date,
        gas_used,
        -- As in evm_daily.
        TRY_CAST(effective_gas_price AS DECIMAL(19,0)) * CAST(gas_used AS DECIMAL(19,0))
          + CASE WHEN l1_fee_raw IS NULL THEN 0 ELSE TRY_CAST(l1_fee AS DECIMAL(29,0)) END AS fee
      FROM evm_transactions
    )
    GROUP BY ALL
    UNION ALL BY NAME
    SELECT network, chain_id, day, count(*) AS address_count
    FROM (
      -- A hash of 128 bits stands for each address, and both columns are read: texts, and values of an UNNEST, of millions of blocks would
      -- not fit into the memory of a query.
      SELECT DISTINCT network, chain_id, block_date AS day, address
      FROM (
        SELECT network, chain_id, block_date, md5_number(from_address) AS address FROM evm_transactions
        UNION ALL
        SELECT network, chain_id, block_date, md5_number(to_address) FROM evm_transactions WHERE to_address IS NOT NULL
      )
    )
    GROUP BY ALL
  )
  GROUP BY network, chain_id, day
  HAVING sum(block_count) > 0
),
x AS (
  SELECT network, blockchain_id, day, sum(block_count) AS block_count, sum(transaction_count) AS transaction_count, sum(unknown_count) AS unknown_count, sum(burned) AS burned
  FROM (
    SELECT network, blockchain_id, block_date AS day, count(*) AS block_count
    FROM x_blocks
    GROUP BY ALL
    UNION ALL BY NAME
    SELECT network, blockchain_id, block_date AS day, count(*) AS transaction_count, count(*) - count(burned) AS unknown_count, sum(burned) AS burned
    FROM x_transactions
    GROUP BY ALL
  )
  GROUP BY ALL
),
counted AS (
  SELECT network, 'P' AS chain, block_date AS day, 'p_blocks' AS read_from, count(*) AS block_count
  FROM p_block_times
  GROUP BY ALL
  UNION ALL BY NAME
  -- As in p_daily, which also counts blocks: that takes a group for each of them.
  -- A transaction without inputs, such as a RewardValidatorTx, burns nothing.
  SELECT
    transaction.network,
    'P' AS chain,
    times.block_date AS day,
    'p_blocks' AS read_from,
    count(*) AS transaction_count,
    count(*) FILTER (burned IS NULL AND input_count > 0) AS unknown_count,
    sum(burned) AS burned
  FROM p_transactions AS transaction
  LEFT JOIN p_block_times AS times USING (network, height)
  GROUP BY ALL
  UNION ALL BY NAME
  SELECT x.network, CASE WHEN chains.alias = 'X' THEN 'X' ELSE x.blockchain_id END AS chain, x.day, 'x_blocks' AS read_from, x.block_count, x.transaction_count, x.unknown_count, x.burned
  FROM x
  LEFT JOIN chains USING (network, blockchain_id)
  UNION ALL BY NAME
  SELECT network, 'C' AS chain, block_date AS day, count(*) AS c_block_count, sum(transaction_count) AS c_transaction_count, sum(atomic_transaction_count) AS atomic_transaction_count
  FROM c_blocks
  GROUP BY ALL
  UNION ALL BY NAME
  SELECT network, 'C' AS chain, block_date AS day, count(*) - count(burned) AS unknown_count, sum(burned) AS burned
  FROM c_atomic_transactions
  GROUP BY ALL
  UNION ALL BY NAME
  SELECT * FROM evm
),
summed AS (
  SELECT
    network,
    chain,
    day,
    coalesce(
      max(read_from),
      CASE WHEN sum(evm_block_count) >= coalesce(sum(c_block_count), 0) THEN 'evm_blocks' ELSE 'c_blocks' END
    ) AS read_from,
    sum(block_count) AS block_count,
    sum(transaction_count) AS transaction_count,
    sum(c_block_count) AS c_block_count,
    sum(c_transaction_count) AS c_transaction_count,
    sum(evm_block_count) AS evm_block_count,
    sum(evm_transaction_count) AS evm_transaction_count,
    sum(atomic_transaction_count) AS atomic_transaction_count,
    sum(unknown_count) AS unknown_count,
    sum(address_count) AS address_count,
    sum(burned) AS burned,
    sum(fees) AS fees
  FROM counted
  GROUP BY network, chain, day
),
priced AS (
  SELECT
    *,
    -- Exact: the whole tokens and the rest separately.
    CAST(
      CASE read_from
        WHEN 'evm_blocks' THEN CAST(fees // 1000000000000000000 AS DECIMAL(38,18))
          + CAST(fees % 1000000000000000000 AS DECIMAL(18,0)) * 0.000000000000000001::DECIMAL(18,18)
      END
      AS DECIMAL(38,18)
    ) AS fees_in_tokens
  FROM summed
)
SELECT
  network,
  chain,
  day,
  read_from,
  CAST(CASE read_from WHEN 'evm_blocks' THEN evm_block_count WHEN 'c_blocks' THEN c_block_count ELSE coalesce(block_count, 0) END AS BIGINT) AS block_count,
  CAST(
    CASE read_from WHEN 'evm_blocks' THEN evm_transaction_count WHEN 'c_blocks' THEN c_transaction_count ELSE coalesce(transaction_count, 0) END
    AS BIGINT
  ) AS transaction_count,
  CAST(atomic_transaction_count AS BIGINT) AS atomic_transaction_count,
  CAST(CASE read_from WHEN 'evm_blocks' THEN address_count END AS BIGINT) AS active_address_count,
  CAST(
    CASE
      WHEN unknown_count > 0 THEN NULL
      WHEN chain IN ('P', 'X') THEN CAST(coalesce(burned, 0) * 0.000000001::DECIMAL(9,9) AS DECIMAL(38,18))
      WHEN chain = 'C' AND read_from = 'evm_blocks'
        THEN fees_in_tokens + CAST(coalesce(burned, 0) * 0.000000001::DECIMAL(9,9) AS DECIMAL(38,18))
    END
    AS DECIMAL(38,18)
  ) AS burned_in_tokens,
  fees_in_tokens
FROM priced
