-- Who created the most contracts?
SELECT creator_address, count(*) AS contracts, sum(init_code_bytes) AS bytes
FROM evm_contracts GROUP BY ALL ORDER BY contracts DESC, creator_address LIMIT 5
