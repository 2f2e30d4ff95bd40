-- What share of transactions fails, by kind?
SELECT transaction_type, count(*) AS transactions, round(100 * count(*) FILTER (status = 0) / count(*), 2) AS failed_percent
FROM evm_transactions GROUP BY ALL ORDER BY ALL
