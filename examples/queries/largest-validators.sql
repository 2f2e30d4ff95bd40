-- Which validators received the most stake from delegators?
SELECT node_id, count(*) AS delegations, sum(stake_avax) AS avax FROM p_stakers
WHERE staker_role = 'delegator' AND stake_avax IS NOT NULL
GROUP BY ALL ORDER BY avax DESC, node_id LIMIT 5
