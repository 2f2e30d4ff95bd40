-- Which tokens move most?
SELECT standard, token_address, count(*) AS transfers, count(DISTINCT from_address) AS senders
FROM evm_token_transfers GROUP BY ALL ORDER BY transfers DESC, token_address LIMIT 5
