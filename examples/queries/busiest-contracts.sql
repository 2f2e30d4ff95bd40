-- Which contracts used the most gas?
SELECT to_address, count(*) AS transactions, sum(gas_used) AS gas FROM evm_transactions
WHERE octet_length(input) >= 4 AND to_address IS NOT NULL GROUP BY ALL ORDER BY gas DESC, to_address LIMIT 5
