-- The last day ends at the last block of the lake.
WITH last_block AS (
  SELECT network, max(known_time) AS last_time
  FROM {{ source('lake', 'p_block_times') }}
  GROUP BY ALL
),
stake AS (
  SELECT
    staker.network,
    staker.staker_role,
    staker.stake_avax,
    staker.active_from,
    staker.active_to,
    CAST(staker.active_from AT TIME ZONE 'UTC' AS DATE) AS first_day,
    CAST(staker.active_to AT TIME ZONE 'UTC' AS DATE) AS last_day,
    last_block.last_time
  FROM {{ source('lake', 'p_stakers') }} AS staker
  JOIN last_block USING (network)
  -- Stakes of other subnets are not in AVAX.
  WHERE staker.stake_avax IS NOT NULL AND staker.active_from <= last_block.last_time
),
day_end AS (
  SELECT network, day, least(last_time, CAST(day + 1 AS TIMESTAMP) AT TIME ZONE 'UTC') AS ends_at
  FROM (
    SELECT
      network,
      last_time,
      CAST(unnest(generate_series(min(first_day), CAST(last_time AT TIME ZONE 'UTC' AS DATE), INTERVAL 1 DAY)) AS DATE) AS day
    FROM stake
    GROUP BY network, last_time
  )
),
active AS (
  SELECT
    day_end.network,
    day_end.day,
    count(*) FILTER (stake.staker_role = 'validator') AS validator_count,
    count(*) FILTER (stake.staker_role = 'delegator') AS delegator_count,
    sum(stake.stake_avax) AS stake_avax
  FROM day_end
  JOIN stake
    ON stake.network = day_end.network
    AND stake.active_from <= day_end.ends_at
    AND (stake.active_to <= day_end.ends_at) IS NOT TRUE
  GROUP BY ALL
),
started AS (
  SELECT network, first_day AS day, sum(stake_avax) AS started_avax
  FROM stake
  GROUP BY ALL
),
ended AS (
  SELECT network, last_day AS day, sum(stake_avax) AS ended_avax
  FROM stake
  WHERE active_to <= last_time
  GROUP BY ALL
),
reward AS (
  SELECT network, CAST(paid_at AT TIME ZONE 'UTC' AS DATE) AS day, sum(amount_avax) AS reward_avax
  FROM {{ source('lake', 'p_reward_payments') }}
  GROUP BY ALL
)
SELECT
  network,
  day,
  coalesce(active.validator_count, 0) AS validator_count,
  coalesce(active.delegator_count, 0) AS delegator_count,
  coalesce(active.stake_avax, 0) AS stake_avax,
  coalesce(started.started_avax, 0) AS started_avax,
  coalesce(ended.ended_avax, 0) AS ended_avax,
  coalesce(reward.reward_avax, 0) AS reward_avax
FROM day_end
LEFT JOIN active USING (network, day)
LEFT JOIN started USING (network, day)
LEFT JOIN ended USING (network, day)
LEFT JOIN reward USING (network, day)
