-- Which validators of the Primary Network have the most stake now, with their delegations?
SELECT node_id, stake_avax, delegator_count, delegated_avax, end_time FROM validators_now
WHERE stake_avax IS NOT NULL ORDER BY stake_avax + delegated_avax DESC, node_id LIMIT 5
