-- One row per unspent UTXO of the X-Chain: the rows of x_unspent, and the unspent rows of x_state_outputs. This equals
-- what a node lists (xvm.getUTXOs) if the lake has all containers and all UTXOs that are in no container.
--
-- amount_avax: The amount in AVAX, exact; null for other assets, and where chains does not name the asset.

SELECT
  utxo.network,
  utxo.blockchain_id,
  utxo.utxo_id,
  utxo.tx_id,
  utxo.output_index,
  utxo.origin,
  utxo.height,
  utxo.block_time,
  utxo.output_type,
  utxo.asset_id,
  utxo.amount,
  CASE WHEN utxo.asset_id = chains.native_asset_id THEN utxo.amount * 0.000000001::DECIMAL(9,9) END AS amount_avax,
  utxo.addresses,
  utxo.threshold,
  utxo.locktime,
  utxo.group_id,
  utxo.payload
FROM x_utxo_spans AS utxo
LEFT JOIN (SELECT * FROM chains WHERE alias = 'X') AS chains USING (network, blockchain_id)
WHERE utxo.spent_tx_id IS NULL
