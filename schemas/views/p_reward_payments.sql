-- One row per UTXO that paid a staking reward, from p_state_outputs (pipelines rewards-utxos and utxo-set) or
-- rest_rewards, whichever the lake has. Rewards that neither has are missing: no container holds them.
--
-- utxo_id: UTXO that paid the reward.
-- paid_at: When it was paid (UTC): the time of the block with the decision, otherwise the end of the staking as the REST
--   service says; null without either.
-- height: Height of the block that decided the reward; null where the lake does not have it.
-- reward_tx_id: Transaction that paid the reward; null where it is not known.
-- staked_tx_id: Staking transaction that was rewarded.
-- staking_tx_type: Kind of the staking transaction; null where the lake does not have it.
-- node_id: Node that validated; null where neither the staking transaction nor the REST service names it.
-- reward_type: VALIDATOR, DELEGATOR or VALIDATOR_FEE, as the REST service says; null without its row.
-- asset_id: Id of the asset.
-- amount_avax: The amount in AVAX, exact; null for other assets, and where chains does not name the asset.
-- addresses: Addresses that own the UTXO, bech32 without chain prefix.

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
    service.node_id,
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
  coalesce(staking.node_id, paid.node_id) AS node_id,
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
