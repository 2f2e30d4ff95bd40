-- Who holds most of a token, here of the one with the most transfers?
SELECT address, balance FROM evm_token_balances
WHERE token_address = (SELECT token_address FROM evm_token_transfers WHERE standard = 'erc20' GROUP BY ALL ORDER BY count(*) DESC, token_address LIMIT 1)
  AND next_day IS NULL ORDER BY balance DESC, address LIMIT 5
