-- One row per token transfer of an EVM chain, with the symbol of the token and the amount in whole tokens. The symbol and
-- the decimals are each the newest value that evm_tokens has, whatever blocks were read. Balances are in evm_token_calendar.
--
-- symbol: Symbol of the token; null where evm_tokens does not have it.
-- decimals: Decimal places of the token: the newest number up to 77 of evm_tokens; null where it has none.
-- amount_in_tokens: The amount in whole tokens, exact; null without decimals, with more than 18 of them, and with more
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
)
SELECT
  transfer.* EXCLUDE (block_date),
  token.symbol,
  token.decimals,
  -- The whole tokens and the rest separately.
  CAST(
    TRY_CAST(transfer.amount::HUGEINT // token.least AS DECIMAL(38,18))
      + CAST(transfer.amount::HUGEINT % token.least * (1000000000000000000 // token.least) AS DECIMAL(18,0)) * 0.000000000000000001::DECIMAL(18,18)
    AS DECIMAL(38,18)
  ) AS amount_in_tokens
FROM evm_token_transfers AS transfer
LEFT JOIN token USING (network, chain_id, token_address)
