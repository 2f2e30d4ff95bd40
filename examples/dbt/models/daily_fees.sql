SELECT
  network,
  'P' AS chain,
  day,
  sum(transaction_count)::BIGINT AS transaction_count,
  -- From nAVAX. A product is exact, a quotient is a float.
  (sum(burned) * 0.000000001::DECIMAL(9, 9))::DECIMAL(38, 18) AS fees
FROM {{ source('lake', 'p_daily') }}
GROUP BY network, day
UNION ALL
SELECT
  x.network,
  coalesce(chains.alias, x.blockchain_id) AS chain,
  x.day,
  sum(x.transaction_count)::BIGINT AS transaction_count,
  (sum(x.burned) * 0.000000001::DECIMAL(9, 9))::DECIMAL(38, 18) AS fees
FROM {{ source('lake', 'x_daily') }} AS x
LEFT JOIN {{ source('lake', 'chains') }} AS chains USING (network, blockchain_id)
GROUP BY ALL
UNION ALL
SELECT network, 'EVM ' || chain_id AS chain, day, transaction_count, fees_in_tokens AS fees
FROM {{ source('lake', 'evm_daily') }}
