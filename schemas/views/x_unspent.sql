-- One row per output of an X-Chain transaction that nothing in the lake spends, including outputs that only operations
-- can spend, but no exported ones. Genesis outputs are in no container and not here; see x_utxos. Correct only if the
-- lake covers the chain from its first container, and the legacy index X/tx where the network has one.
--
-- origin: base, initial (of a created asset) or operation.
-- amount_avax: The amount in AVAX, exact; null for other assets, and where chains does not name the asset.

-- Inputs of imports spend outputs of other chains.
SELECT
  output.network,
  output.blockchain_id,
  output.height,
  output.block_time,
  output.tx_index,
  output.tx_id,
  output.output_index,
  output.utxo_id,
  output.origin,
  output.output_type,
  output.asset_id,
  output.amount,
  CASE WHEN output.asset_id = chains.native_asset_id THEN output.amount * 0.000000001::DECIMAL(9,9) END AS amount_avax,
  output.addresses,
  output.threshold,
  output.locktime,
  output.group_id,
  output.payload
FROM x_outputs AS output
ANTI JOIN (
  SELECT network, blockchain_id, source_tx_id AS tx_id, source_output_index AS output_index
  FROM x_inputs
  WHERE kind <> 'import'
) AS input USING (network, blockchain_id, tx_id, output_index)
LEFT JOIN (SELECT * FROM chains WHERE alias = 'X') AS chains USING (network, blockchain_id)
WHERE output.kind = 'transfer'
