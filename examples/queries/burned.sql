-- How much AVAX did transactions of the P-Chain burn, by kind?
SELECT tx_type, count(*) AS transactions, sum(burned) * 0.000000001::DECIMAL(9,9) AS avax
FROM p_transactions WHERE burned > 0 GROUP BY ALL ORDER BY avax DESC, tx_type LIMIT 5
