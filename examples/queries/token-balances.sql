-- Who holds most of a token?
SELECT address, balance FROM evm_token_balances
WHERE token_address = '0x77e3bccdb3511b65597f05a6051f037865b530a0' AND next_day IS NULL ORDER BY balance DESC, address LIMIT 5
