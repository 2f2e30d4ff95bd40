-- An auto-renewed validator goes on while its reward is committed and its last set period is not 0; all other stakes end
-- with their reward transaction, committed or aborted.
WITH rewards AS (
  SELECT *
  FROM p_proposals
  WHERE tx_type IN ('RewardValidatorTx', 'RewardAutoRenewedValidatorTx')
),
periods AS (
  SELECT
    reward.network,
    reward.tx_id,
    arg_max(validation.period, (validation.height, validation.tx_index)) AS next_period
  FROM rewards AS reward
  JOIN p_validations AS validation
    ON validation.network = reward.network
    AND coalesce(validation.staked_tx_id, validation.tx_id) = reward.staked_tx_id
    AND (validation.height, validation.tx_index) < (reward.height, reward.tx_index)
  WHERE reward.tx_type = 'RewardAutoRenewedValidatorTx'
    AND validation.tx_type IN ('AddAutoRenewedValidatorTx', 'SetAutoRenewedValidatorConfigTx')
  GROUP BY ALL
)
SELECT
  reward.network,
  reward.height,
  reward.block_time,
  reward.block_id,
  reward.tx_index,
  reward.tx_id,
  reward.tx_type,
  reward.option_height,
  reward.outcome,
  CASE
    WHEN reward.outcome IS NULL THEN NULL
    WHEN reward.tx_type = 'RewardValidatorTx' OR reward.outcome = 'aborted' THEN true
    ELSE next_period = 0
  END AS stake_ended,
  reward.staked_tx_id,
  staking.tx_type AS staking_tx_type,
  staking.height AS staking_height,
  staking.subnet_id,
  staking.node_id,
  staking.start_time,
  staking.end_time,
  staking.weight
FROM rewards AS reward
LEFT JOIN periods USING (network, tx_id)
LEFT JOIN (
  SELECT *
  FROM p_validations
  WHERE tx_type IN (
    'AddValidatorTx',
    'AddDelegatorTx',
    'AddPermissionlessValidatorTx',
    'AddPermissionlessDelegatorTx',
    'AddAutoRenewedValidatorTx'
  )
) AS staking
  ON staking.network = reward.network AND staking.tx_id = reward.staked_tx_id
