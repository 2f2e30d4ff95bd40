-- How much AVAX was staked on the Primary Network at a time, here half a day before the last block, by how many stakers?
WITH moment AS (SELECT max(known_time) - INTERVAL 12 HOURS AS time FROM p_block_times)
SELECT staker_role, count(*) AS stakers, sum(stake_avax) AS avax FROM p_stakers, moment
WHERE stake_avax IS NOT NULL AND active_from <= time AND (active_to <= time) IS NOT TRUE
GROUP BY ALL ORDER BY ALL
