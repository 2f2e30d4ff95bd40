-- Which addresses of the P-Chain own the most AVAX that is not staked?
SELECT address, sum(counted_amount) * 0.000000001::DECIMAL(9,9) AS avax FROM p_ledger
JOIN chains ON chains.network = p_ledger.network AND chains.alias = 'P' AND asset_id = native_asset_id
GROUP BY ALL ORDER BY avax DESC, address LIMIT 5
