-- What a proposal block spends and makes holds once its option block is there. Inputs of imports spend outputs of other
-- chains.
WITH undecided AS (
  SELECT network, height FROM p_proposals WHERE outcome IS NULL
),
spent AS (
  SELECT input.network, input.source_tx_id, input.source_output_index
  FROM p_inputs AS input
  ANTI JOIN undecided USING (network, height)
  WHERE input.kind = 'transfer'
),
released AS (
  SELECT network, staked_tx_id AS tx_id FROM p_rewards WHERE stake_ended
  UNION
  SELECT network, tx_id FROM p_proposals
  WHERE outcome = 'aborted' AND tx_type IN ('AddValidatorTx', 'AddDelegatorTx')
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
  output.addresses,
  output.threshold,
  output.locktime,
  output.stakeable_locktime
FROM p_outputs AS output
LEFT JOIN released
  ON output.kind = 'stake' AND released.network = output.network AND released.tx_id = output.tx_id
ANTI JOIN undecided
  ON undecided.network = output.network AND undecided.height = output.height
ANTI JOIN spent
  ON spent.network = output.network
  AND spent.source_tx_id = output.tx_id
  AND spent.source_output_index = output.output_index
WHERE output.kind = 'transfer' OR released.tx_id IS NOT NULL
