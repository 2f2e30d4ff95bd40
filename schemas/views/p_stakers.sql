-- One row per stake and weight: validators, delegators, and validators of subnets and L1s. The stakes at a time t have
-- active_from <= t and not active_to <= t. Validators of the genesis are in no container, and neither are the rewards
-- that auto-renewed validators stake again. Validators of L1s that ran out of balance or were disabled keep their row:
-- see l1_validators.
--
-- tx_id: Transaction that added the staker.
-- staker_role: validator or delegator.
-- subnet_id: Subnet that is validated.
-- node_id: Node that validates, or that received the delegation.
-- validation_id: Validation id of an L1 validator; null for others.
-- active_from: When the stake begins (UTC), for L1 validators the weight.
-- active_to: When it ended or will end (UTC); null where no end is known: L1 validators and auto-renewed validators
--   that still validate.
-- end_reason: rewarded or not rewarded (Primary Network and elastic subnets), removed, expired (permissioned subnets),
--   weight changed (L1: the next row continues); null where the lake has no block that
--   ended the stake.
-- end_tx_id: Transaction that ended it; null without one.
-- stake_avax: Stake on the Primary Network in AVAX, exact; null for other subnets.
-- reward_addresses: Addresses that receive the rewards, bech32 without chain prefix; null where the transaction names
--   none.

WITH added AS (
  SELECT staking.*
  FROM p_validations AS staking
  LEFT JOIN p_proposals AS proposal USING (network, tx_id)
  WHERE staking.action IN ('add', 'delegate') AND (proposal.tx_id IS NULL OR proposal.outcome = 'committed')
),
ended AS (
  SELECT reward.network, reward.staked_tx_id, reward.tx_id, reward.outcome, time.known_time
  FROM p_proposals AS reward
  LEFT JOIN p_block_times AS time
    ON time.network = reward.network AND time.height = reward.option_height
  WHERE reward.stake_ended
),
-- A subnet validator is removed by the first transaction that names its node before its end.
removed AS (
  SELECT added.network, added.tx_id, arg_min(removal.tx_id, row(removal.height, removal.tx_index)) AS end_tx_id, min(time.known_time) AS end_time
  FROM added
  JOIN p_validations AS removal
    ON removal.network = added.network
    AND removal.subnet_id = added.subnet_id
    AND removal.node_id = added.node_id
    AND row(removal.height, removal.tx_index) > row(added.height, added.tx_index)
  JOIN p_block_times AS time
    ON time.network = removal.network AND time.height = removal.height AND time.known_time < added.end_time
  WHERE added.tx_type = 'AddSubnetValidatorTx' AND removal.action = 'remove'
  GROUP BY ALL
),
last AS (
  SELECT network, max(known_time) AS last_time
  FROM p_block_times
  -- A time that is carried forward is never later than the one that it comes from.
  WHERE NOT carried_forward
  GROUP BY ALL
),
-- The weights of a validator of an L1, one after another.
weights AS (
  SELECT
    change.network,
    change.validation_id,
    change.weight,
    time.known_time AS active_from,
    lead(time.known_time) OVER own AS active_to,
    lead(change.weight) OVER own AS next_weight,
    lead(change.tx_id) OVER own AS end_tx_id
  FROM p_validations AS change
  LEFT JOIN p_block_times AS time USING (network, height)
  WHERE change.validation_id IS NOT NULL AND change.action IN ('add', 'set_weight')
  WINDOW own AS (PARTITION BY change.network, change.validation_id ORDER BY change.height, change.tx_index)
)
SELECT
  added.network,
  added.tx_id,
  added.position,
  added.tx_type,
  CASE added.action WHEN 'delegate' THEN 'delegator' ELSE 'validator' END AS staker_role,
  added.subnet_id,
  added.node_id,
  added.validation_id,
  added.start_time AS active_from,
  CASE
    WHEN removed.tx_id IS NOT NULL THEN removed.end_time
    ELSE coalesce(added.end_time, ended.known_time)
  END AS active_to,
  CASE
    WHEN removed.tx_id IS NOT NULL THEN 'removed'
    WHEN ended.outcome = 'committed' THEN 'rewarded'
    WHEN ended.outcome = 'aborted' THEN 'not rewarded'
    WHEN added.tx_type = 'AddSubnetValidatorTx' AND added.end_time <= last.last_time THEN 'expired'
  END AS end_reason,
  coalesce(removed.end_tx_id, ended.tx_id) AS end_tx_id,
  added.weight,
  CASE WHEN added.subnet_id = '11111111111111111111111111111111LpoYY' THEN added.weight * 0.000000001::DECIMAL(9,9) END AS stake_avax,
  added.validation_reward_owner_addresses AS reward_addresses
FROM added
LEFT JOIN ended
  ON ended.network = added.network AND ended.staked_tx_id = added.tx_id
LEFT JOIN removed
  ON removed.network = added.network AND removed.tx_id = added.tx_id
LEFT JOIN last
  ON last.network = added.network
WHERE added.validation_id IS NULL
UNION ALL
SELECT
  added.network,
  added.tx_id,
  added.position,
  added.tx_type,
  'validator',
  added.subnet_id,
  added.node_id,
  added.validation_id,
  weights.active_from,
  weights.active_to,
  CASE
    WHEN weights.next_weight = 0 THEN 'removed'
    WHEN weights.next_weight IS NOT NULL THEN 'weight changed'
  END,
  weights.end_tx_id,
  weights.weight,
  NULL,
  added.validation_reward_owner_addresses
FROM added
JOIN weights USING (network, validation_id)
WHERE weights.weight > 0
