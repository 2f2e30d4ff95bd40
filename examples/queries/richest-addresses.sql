-- Which addresses of the P-Chain own the most AVAX that is not staked?
SELECT address, sum(counted_avax) AS avax FROM p_ledger GROUP BY ALL ORDER BY avax DESC, address LIMIT 5
