-- How many stakes ended without a reward?
SELECT end_reason, count(*) AS stakes, sum(stake_avax) AS avax
FROM p_stakers WHERE end_reason IN ('rewarded', 'not rewarded') GROUP BY ALL ORDER BY end_reason
