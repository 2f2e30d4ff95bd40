WITH given AS (
  SELECT network, validation_id, sum(balance) AS deposited, count(*) AS deposit_count
  FROM p_validations
  WHERE validation_id IS NOT NULL AND balance IS NOT NULL
  GROUP BY ALL
),
weighted AS (
  SELECT network, validation_id, arg_max(weight, row(height, tx_index)) AS weight
  FROM p_validations
  WHERE validation_id IS NOT NULL AND action IN ('add', 'set_weight')
  GROUP BY ALL
),
-- A deposit makes a disabled validator active again.
funded AS (
  SELECT network, validation_id, max(row(height, tx_index)) AS last_place
  FROM p_validations
  WHERE action = 'add_balance'
  GROUP BY ALL
),
-- A validator that is disabled or removed gets its remaining balance back. One that was disabled may be removed later.
disabled AS (
  SELECT
    change.network,
    change.validation_id,
    min(time.known_time) FILTER (NOT change.is_undone) AS disabled_at,
    arg_max(change.action, row(change.height, change.tx_index)) FILTER (NOT change.is_undone) AS last_action,
    sum(refund.amount) AS refunded
  FROM (
    SELECT *, funded.last_place IS NOT NULL AND row(height, tx_index) < funded.last_place AS is_undone
    FROM p_validations
    LEFT JOIN funded USING (network, validation_id)
    WHERE validation_id IS NOT NULL AND (action = 'disable' OR (action = 'set_weight' AND weight = 0))
  ) AS change
  LEFT JOIN p_block_times AS time
    ON time.network = change.network AND time.height = change.height
  LEFT JOIN p_state_outputs AS refund
    ON refund.network = change.network AND refund.tx_id = change.tx_id AND refund.origin = 'refund'
  GROUP BY ALL
),
observed AS (
  SELECT network, validation_id, arg_max(balance, observed_at) AS balance, max(observed_at) AS observed_at
  FROM node_l1_validators_latest
  GROUP BY ALL
)
SELECT
  added.network,
  added.subnet_id,
  added.validation_id,
  added.node_id,
  added.tx_id,
  added.tx_type,
  time.known_time AS registered_at,
  weighted.weight,
  CAST(given.deposited AS DECIMAL(38,0)) AS deposited,
  CAST(given.deposited * 0.000000001::DECIMAL(9,9) AS DECIMAL(38,9)) AS deposited_avax,
  given.deposit_count,
  disabled.disabled_at,
  CASE disabled.last_action WHEN 'disable' THEN 'disabled' WHEN 'set_weight' THEN 'removed' END AS end_reason,
  CAST(disabled.refunded AS DECIMAL(38,0)) AS refunded,
  CAST(disabled.refunded * 0.000000001::DECIMAL(9,9) AS DECIMAL(38,9)) AS refunded_avax,
  observed.balance AS observed_balance,
  observed.balance * 0.000000001::DECIMAL(9,9) AS observed_balance_avax,
  observed.observed_at,
  added.remaining_balance_owner_addresses AS balance_owner_addresses
FROM (SELECT * FROM p_validations WHERE validation_id IS NOT NULL AND action = 'add') AS added
LEFT JOIN p_block_times AS time
  ON time.network = added.network AND time.height = added.height
LEFT JOIN weighted
  ON weighted.network = added.network AND weighted.validation_id = added.validation_id
LEFT JOIN given
  ON given.network = added.network AND given.validation_id = added.validation_id
LEFT JOIN disabled
  ON disabled.network = added.network AND disabled.validation_id = added.validation_id
LEFT JOIN observed
  ON observed.network = added.network AND observed.validation_id = added.validation_id
