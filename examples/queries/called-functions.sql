-- Which functions of contracts do transactions call most, by the input of every transaction?
SELECT method_id, count(*) AS transactions, count(DISTINCT to_address) AS contracts FROM evm_transactions
WHERE method_id IS NOT NULL GROUP BY ALL ORDER BY transactions DESC, method_id LIMIT 5
