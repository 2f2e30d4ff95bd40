-- Which nodes earned the most rewards, and of which kind?
SELECT node_id, reward_type, count(*) AS payments, sum(amount_avax) AS avax
FROM p_reward_payments GROUP BY ALL ORDER BY avax DESC, node_id, reward_type LIMIT 5
