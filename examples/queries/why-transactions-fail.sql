-- Why do transactions fail, and which functions did they call?
SELECT reason, method_id, count(*) AS transactions FROM evm_failed_transactions
GROUP BY ALL ORDER BY transactions DESC, reason, method_id LIMIT 5
