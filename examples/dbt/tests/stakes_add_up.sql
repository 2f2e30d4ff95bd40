-- Days with another stake than what began minus what ended until then.
SELECT network, day, stake_avax, expected
FROM (
  SELECT network, day, stake_avax, sum(started_avax - ended_avax) OVER (PARTITION BY network ORDER BY day) AS expected
  FROM {{ ref('daily_staking') }}
)
WHERE stake_avax <> expected
