-- How many transactions per second did EVM chains process each day, by the blocks of the lake and by the metrics of the service?
SELECT day, chain_id, round(transaction_count / 86400, 6) AS counted, metric_value AS stated FROM evm_daily
LEFT JOIN (SELECT *, (point_time AT TIME ZONE 'UTC')::DATE AS day FROM metrics_chain_tps_latest) USING (network, chain_id, day)
ORDER BY day DESC, chain_id LIMIT 7
