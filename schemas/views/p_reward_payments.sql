WITH service AS (
  SELECT DISTINCT ON (network, utxo_id) *
  FROM rest_rewards
),
paid AS (
  SELECT
    network,
    utxo_id,
    coalesce(state.staked_tx_id, service.tx_id) AS staked_tx_id,
    coalesce(state.block_time, service.end_time) AS paid_at,
    state.height,
    coalesce(state.by_tx_id, service.reward_tx_id) AS reward_tx_id,
    service.reward_type,
    coalesce(state.asset_id, service.asset_id) AS asset_id,
    coalesce(state.amount, service.amount) AS amount,
    coalesce(state.addresses, service.addresses) AS addresses
  FROM (SELECT * FROM p_utxo_spans WHERE origin = 'reward') AS state
  FULL JOIN service USING (network, utxo_id)
)
SELECT
  paid.network,
  paid.utxo_id,
  paid.paid_at,
  paid.height,
  paid.reward_tx_id,
  paid.staked_tx_id,
  staking.tx_type AS staking_tx_type,
  staking.node_id,
  paid.reward_type,
  paid.asset_id,
  paid.amount,
  CASE WHEN paid.asset_id = chains.native_asset_id THEN paid.amount * 0.000000001::DECIMAL(9,9) END AS amount_avax,
  paid.addresses
FROM paid
LEFT JOIN (SELECT * FROM p_validations WHERE action IN ('add', 'delegate') AND validation_id IS NULL) AS staking
  ON staking.network = paid.network AND staking.tx_id = paid.staked_tx_id
LEFT JOIN (SELECT * FROM chains WHERE alias = 'P') AS chains
  ON chains.network = paid.network
