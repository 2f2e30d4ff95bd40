-- What was the balance of the largest holder of the busiest token at the end of each day?
SELECT day, address, symbol, balance_in_tokens FROM evm_token_calendar
WHERE token_address = (SELECT token_address FROM evm_token_transfers WHERE standard = 'erc20' GROUP BY ALL ORDER BY count(*) DESC, token_address LIMIT 1)
QUALIFY max(balance) OVER (PARTITION BY address) = max(balance) OVER () ORDER BY day DESC, address LIMIT 7
