-- What did accounts hold of a token, as its contract says?
SELECT block_number, contract, arguments ->> 0 AS owner, (outputs ->> 0)::DECIMAL(38,0) AS balance FROM evm_calls
WHERE function LIKE 'function balanceOf(%' AND status = 'ok'
QUALIFY contract = min(contract) OVER () ORDER BY block_number DESC, balance DESC, owner LIMIT 5
