-- Who holds most of the token with the most transfers?
WITH token AS (SELECT token_address FROM evm_token_transfers WHERE standard = 'erc20' GROUP BY ALL ORDER BY count(*) DESC, token_address LIMIT 1),
moved AS (SELECT to_address AS address, amount FROM evm_token_transfers SEMI JOIN token USING (token_address)
  UNION ALL SELECT from_address, -amount FROM evm_token_transfers SEMI JOIN token USING (token_address))
SELECT address, sum(amount) AS balance FROM moved GROUP BY ALL ORDER BY balance DESC, address LIMIT 5
