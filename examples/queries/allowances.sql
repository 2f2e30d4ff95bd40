-- How much of a token may others spend?
SELECT contract, arguments ->> 0 AS owner, arguments ->> 1 AS spender, outputs ->> 0 AS amount FROM evm_calls
WHERE function LIKE 'function allowance(%' AND status = 'ok' AND (outputs ->> 0) <> '0'
QUALIFY block_number = max(block_number) OVER () ORDER BY ALL LIMIT 5
