-- One row per P-Chain output from a container that nothing in the lake spends: ordinary outputs, and stakes after their
-- release (see stake_ended of p_proposals), but no exported ones. Genesis outputs, rewards and refunded balances of L1
-- validators are in no container and not here; see p_utxos. Correct only if the lake covers the chain from its first
-- container.
--
-- height: Height of the block.
-- tx_index: Position of the transaction in its block; the proposed transaction of a proposal block is the last.
-- tx_id: Id of the transaction. Not unique: an aborted AdvanceTimeTx can be proposed again.
-- kind: transfer, or stake after its release.
-- amount_avax: The amount in AVAX, exact; null for other assets, and where chains does not name the asset.

-- What a proposal block spends and creates is valid once its option block exists. Inputs of imports spend outputs of other
-- chains.
WITH proposals AS (
  SELECT network, height, tx_id, tx_type, outcome, staked_tx_id, stake_ended FROM p_proposals
),
undecided AS (
  SELECT network, height FROM proposals WHERE outcome IS NULL
),
spent AS (
  SELECT input.network, input.source_tx_id AS tx_id, input.source_output_index AS output_index
  FROM p_inputs AS input
  ANTI JOIN undecided USING (network, height)
  WHERE input.kind = 'transfer'
),
released AS (
  SELECT network, staked_tx_id AS tx_id FROM proposals WHERE stake_ended
  UNION ALL
  SELECT network, tx_id FROM proposals
  WHERE outcome = 'aborted' AND tx_type IN ('AddValidatorTx', 'AddDelegatorTx')
),
spendable AS (
  SELECT * FROM p_outputs WHERE kind = 'transfer'
  UNION ALL
  SELECT stake.*
  FROM p_outputs AS stake
  SEMI JOIN released USING (network, tx_id)
  WHERE stake.kind = 'stake'
)
SELECT
  output.network,
  output.height,
  output.block_time,
  output.tx_index,
  output.tx_id,
  output.output_index,
  output.utxo_id,
  output.kind,
  output.asset_id,
  output.amount,
  CASE WHEN output.asset_id = chains.native_asset_id THEN output.amount * 0.000000001::DECIMAL(9,9) END AS amount_avax,
  output.addresses,
  output.threshold,
  output.locktime,
  output.stakeable_locktime
FROM spendable AS output
ANTI JOIN undecided USING (network, height)
ANTI JOIN spent USING (network, tx_id, output_index)
LEFT JOIN (SELECT * FROM chains WHERE alias = 'P') AS chains USING (network)
