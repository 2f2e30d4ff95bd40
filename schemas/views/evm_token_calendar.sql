-- Balances of tokens at the end of every UTC day, also of days without a transfer: one row per token, address and day, from
-- the first transfer of the address to the last day of the chain in the lake. Read it with a condition on address or
-- token_address: the whole view is large. A balance is right only if the lake has all transfers of the token: see
-- evm_token_balances.
--
-- standard: Standard of the token: erc20, erc721 or erc1155.
-- token_id: Id of the token in its contract, in decimal digits; null for ERC-20.
-- symbol: Symbol of the token; null where evm_tokens does not have it.
-- decimals: Decimal places of the token: the newest number up to 77 of evm_tokens; null where it has none.
-- balance_in_tokens: The balance in whole tokens, exact; null without decimals, with more than 18 of them, and with more
--   than 20 digits before the point.

WITH token AS (
  -- least: how many of the least unit make one token.
  SELECT *, CASE WHEN decimals <= 18 THEN ('1' || repeat('0', decimals))::HUGEINT END AS least
  FROM (
    SELECT
      network,
      chain_id,
      token_address,
      arg_max(symbol, block_number) AS symbol,
      arg_max(CASE WHEN decimals <= 77 THEN CAST(decimals AS BIGINT) END, block_number) AS decimals
    FROM evm_tokens
    GROUP BY ALL
  )
),
last AS (
  SELECT network, chain_id, max(block_date) AS last_day
  FROM (
    SELECT network, chain_id, block_date FROM evm_blocks
    UNION ALL
    SELECT network, chain_id, block_date FROM evm_token_transfers
  )
  GROUP BY ALL
),
held AS (
  SELECT
    balance.* EXCLUDE (next_day, transfer_count, balance_change, balance_change_raw) REPLACE (
      balance.day + CAST(unnest(range(coalesce(balance.next_day, last.last_day + 1) - balance.day)) AS INTEGER) AS day
    )
  FROM evm_token_balances AS balance
  JOIN last USING (network, chain_id)
)
SELECT
  held.*,
  token.symbol,
  token.decimals,
  -- The whole tokens and the rest separately.
  CAST(
    TRY_CAST(held.balance::HUGEINT // token.least AS DECIMAL(38,18))
      + CAST(held.balance::HUGEINT % token.least * (1000000000000000000 // token.least) AS DECIMAL(18,0)) * 0.000000000000000001::DECIMAL(18,18)
    AS DECIMAL(38,18)
  ) AS balance_in_tokens
FROM held
LEFT JOIN token USING (network, chain_id, token_address)
