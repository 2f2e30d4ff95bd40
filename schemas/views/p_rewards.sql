-- One row per RewardValidatorTx and RewardAutoRenewedValidatorTx: the staking transaction that it ends, and whether the
-- reward was paid (committed) or not (aborted). The amount paid is in no container.
--
-- staking_tx_type: Kind of the staking transaction. This column and those after it are null for stakers of the genesis,
--   and where the transaction is missing in the lake.
-- staking_height: Height of the block with the staking transaction.
-- subnet_id: Subnet that was validated.
-- node_id: Node that validated, or that received the delegation.
-- end_time: End as in the staking transaction (UTC); null for auto-renewed validators.
-- weight: Stake of the validator or delegator at the start, on the Primary Network in nAVAX, on elastic subnets in the
--   least unit of the staking asset.
-- stake_avax: Stake on the Primary Network in AVAX, exact; null for other subnets.

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
  reward.stake_ended,
  reward.staked_tx_id,
  staking.tx_type AS staking_tx_type,
  staking.height AS staking_height,
  staking.subnet_id,
  staking.node_id,
  staking.start_time,
  staking.end_time,
  staking.weight,
  CASE WHEN staking.subnet_id = '11111111111111111111111111111111LpoYY' THEN staking.weight * 0.000000001::DECIMAL(9,9) END AS stake_avax
FROM p_proposals AS reward
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
WHERE reward.tx_type IN ('RewardValidatorTx', 'RewardAutoRenewedValidatorTx')
