-- Inputs of imports spend outputs of other chains.
WITH made AS (
  SELECT
    network,
    blockchain_id,
    utxo_id,
    tx_id,
    output_index,
    origin,
    output_type,
    asset_id,
    amount,
    addresses,
    threshold,
    locktime,
    group_id,
    payload,
    height,
    block_time
  FROM x_outputs
  WHERE kind = 'transfer'
  UNION ALL
  SELECT
    network,
    blockchain_id,
    utxo_id,
    tx_id,
    output_index,
    origin,
    output_type,
    asset_id,
    amount,
    addresses,
    threshold,
    locktime,
    group_id,
    payload,
    CASE WHEN origin = 'genesis' THEN 0 END AS height,
    NULL AS block_time
  FROM x_state_outputs
)
SELECT
  made.*,
  spent.height AS spent_height,
  spent.block_time AS spent_time,
  spent.tx_id AS spent_tx_id
FROM made
LEFT JOIN (
  SELECT network, blockchain_id, source_tx_id, source_output_index, height, block_time, tx_id
  FROM x_inputs
  WHERE kind <> 'import'
) AS spent
  ON spent.network = made.network
  AND spent.blockchain_id = made.blockchain_id
  AND spent.source_tx_id = made.tx_id
  AND spent.source_output_index = made.output_index
