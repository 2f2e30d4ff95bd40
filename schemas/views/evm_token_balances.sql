-- Balances of tokens by UTC day, from evm_token_transfers: one row per token, address and day with a transfer. A
-- balance is right only if the lake has all transfers of the token from its first block on (see coverage); otherwise it
-- misses what came before, and may be negative. Changes without a Transfer event are missing, such as those of rebasing
-- tokens and of tokens that mint without one. The zero address is left out, because transfers from it mint and
-- transfers to it burn: the sum over all addresses is the supply. Transfers of the native token
-- (EIP-7708) are left out, too: fees and rewards are in no log.
--
-- standard: Standard of the token: erc20, erc721 or erc1155.
-- token_address: Contract of the token.
-- token_id: Id of the token in its contract, in decimal digits; null for ERC-20.
-- address: Address that holds the tokens.
-- day: Day in UTC.
-- next_day: Next day with a transfer of the token from or to the address: the balance holds until that day begins. Null
--   in the last row, which has the newest balance.
-- transfer_count: Number of transfers from and to the address on that day; one to itself counts twice.
-- balance_change: What the address received minus what it sent on that day, in the least unit of the token; null when
--   it has more than 38 digits.
-- balance_change_raw: The same change in the least unit of the token, as text with all digits.
-- balance: Balance at the end of that day in the least unit of the token; null when it has more than 38 digits.
-- balance_raw: The same balance in the least unit of the token, as text with all digits.

-- A sum of 256-bit amounts can be too long for every number type of DuckDB. Therefore three parts of 26 digits are summed separately, exact for
-- up to 10^12 transfers. Most amounts have only the first part, and dividing numbers of 128 bits is slow.
WITH entry AS (
  SELECT network, chain_id, standard, token_address, token_id, to_address AS address, block_date AS day, amount, amount_raw, 1 AS direction
  FROM evm_token_transfers WHERE standard <> 'native'
  UNION ALL
  SELECT network, chain_id, standard, token_address, token_id, from_address, block_date, amount, amount_raw, -1
  FROM evm_token_transfers WHERE standard <> 'native'
),
part AS (
  SELECT
    * EXCLUDE (amount, amount_raw),
    CASE WHEN amount < 100000000000000000000000000 THEN amount::HUGEINT ELSE right(amount_raw, 26)::HUGEINT END AS low,
    CASE
      WHEN amount < 100000000000000000000000000 THEN 0::HUGEINT
      WHEN length(amount_raw) > 26 THEN amount_raw[-52:-27]::HUGEINT
      ELSE 0::HUGEINT
    END AS middle,
    CASE WHEN amount IS NULL AND length(amount_raw) > 52 THEN amount_raw[:-53]::HUGEINT ELSE 0::HUGEINT END AS high
  FROM entry
  WHERE address <> '0x0000000000000000000000000000000000000000'
),
daily AS (
  SELECT
    * EXCLUDE (direction, low, middle, high),
    count(*) AS transfer_count,
    sum(CASE direction WHEN 1 THEN low ELSE -low END) AS change_low,
    sum(CASE direction WHEN 1 THEN middle ELSE -middle END) AS change_middle,
    sum(CASE direction WHEN 1 THEN high ELSE -high END) AS change_high
  FROM part
  GROUP BY ALL
),
summed AS (
  SELECT
    *,
    lead(day) OVER own AS next_day,
    sum(change_low) OVER own AS balance_low,
    sum(change_middle) OVER own AS balance_middle,
    sum(change_high) OVER own AS balance_high
  FROM daily
  WINDOW own AS (PARTITION BY network, chain_id, standard, token_address, token_id, address ORDER BY day)
),
-- What is longer than 26 digits is carried into the next part. Each part keeps its sign: the first one that is not 0 has the sign of the sum.
carried AS (
  SELECT
    *,
    CASE WHEN abs(change_low) < 100000000000000000000000000 THEN 0::HUGEINT ELSE change_low // 100000000000000000000000000 END AS change_carry,
    change_low - change_carry * 100000000000000000000000000 AS change_0,
    CASE
      WHEN abs(change_middle + change_carry) < 100000000000000000000000000 THEN 0::HUGEINT
      ELSE (change_middle + change_carry) // 100000000000000000000000000
    END AS change_carry_2,
    change_middle + change_carry - change_carry_2 * 100000000000000000000000000 AS change_1,
    change_high + change_carry_2 AS change_2,
    CASE WHEN abs(balance_low) < 100000000000000000000000000 THEN 0::HUGEINT ELSE balance_low // 100000000000000000000000000 END AS balance_carry,
    balance_low - balance_carry * 100000000000000000000000000 AS balance_0,
    CASE
      WHEN abs(balance_middle + balance_carry) < 100000000000000000000000000 THEN 0::HUGEINT
      ELSE (balance_middle + balance_carry) // 100000000000000000000000000
    END AS balance_carry_2,
    balance_middle + balance_carry - balance_carry_2 * 100000000000000000000000000 AS balance_1,
    balance_high + balance_carry_2 AS balance_2
  FROM summed
),
signed AS (
  SELECT
    *,
    row(change_2, change_1, change_0) < row(0::HUGEINT, 0::HUGEINT, 0::HUGEINT) AS change_negative,
    CASE WHEN change_negative THEN -change_0 ELSE change_0 END AS change_digits_0,
    CASE WHEN change_negative THEN -change_1 ELSE change_1 END - CASE WHEN change_digits_0 < 0 THEN 1 ELSE 0 END AS change_digits_1,
    CASE WHEN change_negative THEN -change_2 ELSE change_2 END - CASE WHEN change_digits_1 < 0 THEN 1 ELSE 0 END AS change_digits_2,
    row(balance_2, balance_1, balance_0) < row(0::HUGEINT, 0::HUGEINT, 0::HUGEINT) AS balance_negative,
    CASE WHEN balance_negative THEN -balance_0 ELSE balance_0 END AS balance_digits_0,
    CASE WHEN balance_negative THEN -balance_1 ELSE balance_1 END - CASE WHEN balance_digits_0 < 0 THEN 1 ELSE 0 END AS balance_digits_1,
    CASE WHEN balance_negative THEN -balance_2 ELSE balance_2 END - CASE WHEN balance_digits_1 < 0 THEN 1 ELSE 0 END AS balance_digits_2
  FROM carried
),
written AS (
  SELECT
    *,
    CASE
      WHEN change_middle = 0 AND change_high = 0 THEN change_low::VARCHAR
      ELSE concat(
        CASE WHEN change_negative THEN '-' END,
        coalesce(
          nullif(
            ltrim(
              concat(
                change_digits_2,
                lpad((change_digits_1 + CASE WHEN change_digits_1 < 0 THEN 100000000000000000000000000 ELSE 0 END)::VARCHAR, 26, '0'),
                lpad((change_digits_0 + CASE WHEN change_digits_0 < 0 THEN 100000000000000000000000000 ELSE 0 END)::VARCHAR, 26, '0')
              ),
              '0'
            ),
            ''
          ),
          '0'
        )
      )
    END AS change_raw,
    CASE
      WHEN balance_middle = 0 AND balance_high = 0 THEN balance_low::VARCHAR
      ELSE concat(
        CASE WHEN balance_negative THEN '-' END,
        coalesce(
          nullif(
            ltrim(
              concat(
                balance_digits_2,
                lpad((balance_digits_1 + CASE WHEN balance_digits_1 < 0 THEN 100000000000000000000000000 ELSE 0 END)::VARCHAR, 26, '0'),
                lpad((balance_digits_0 + CASE WHEN balance_digits_0 < 0 THEN 100000000000000000000000000 ELSE 0 END)::VARCHAR, 26, '0')
              ),
              '0'
            ),
            ''
          ),
          '0'
        )
      )
    END AS balance_raw
  FROM signed
)
SELECT
  network,
  chain_id,
  standard,
  token_address,
  token_id,
  address,
  day,
  next_day,
  transfer_count,
  -- DuckDB takes 300 times as long to turn a text into a long decimal at once.
  TRY_CAST(TRY_CAST(change_raw AS HUGEINT) AS DECIMAL(38,0)) AS balance_change,
  change_raw AS balance_change_raw,
  TRY_CAST(TRY_CAST(balance_raw AS HUGEINT) AS DECIMAL(38,0)) AS balance,
  balance_raw
FROM written
