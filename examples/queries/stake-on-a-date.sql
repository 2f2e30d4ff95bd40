-- How much AVAX was staked on the Primary Network at a time, by how many stakers?
SELECT staker_role, count(*) AS stakers, sum(stake_avax) AS avax FROM p_stakers
WHERE stake_avax IS NOT NULL AND active_from <= '2025-11-01 00:30:00+00' AND (active_to <= '2025-11-01 00:30:00+00') IS NOT TRUE
GROUP BY ALL ORDER BY ALL
