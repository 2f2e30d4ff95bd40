-- What are the largest transfers of each token, in whole tokens?
SELECT symbol, amount_in_tokens, from_address, to_address FROM evm_token_amounts
WHERE amount_in_tokens IS NOT NULL QUALIFY row_number() OVER (PARTITION BY token_address ORDER BY amount DESC, transaction_hash) = 1
ORDER BY symbol LIMIT 5
