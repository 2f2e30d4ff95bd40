-- How busy was each chain, day by day?
SELECT 'P' AS chain, day, sum(transaction_count)::BIGINT AS transactions FROM p_daily GROUP BY ALL
UNION ALL SELECT 'X', day, sum(transaction_count)::BIGINT FROM x_daily GROUP BY ALL
UNION ALL SELECT 'C', day, sum(transaction_count)::BIGINT FROM c_daily GROUP BY ALL ORDER BY chain, day
