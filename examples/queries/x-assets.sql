-- Which assets of the X-Chain are used most?
SELECT a.name, a.symbol, count(*) AS outputs FROM x_outputs AS o
JOIN x_assets AS a ON a.network = o.network AND a.asset_id = o.asset_id
GROUP BY ALL ORDER BY outputs DESC, a.name, a.symbol LIMIT 5
