-- What did accounts hold of a token, as its contract says?
SELECT block_number, arguments ->> 0 AS owner, (outputs ->> 0)::DECIMAL(38,0) AS balance FROM evm_calls
WHERE function LIKE 'function balanceOf(%' AND status = 'ok' AND contract = '0x77e3bccdb3511b65597f05a6051f037865b530a0'
ORDER BY block_number DESC, balance DESC LIMIT 5
