-- One row per unspent UTXO of the P-Chain: the rows of p_unspent, and the unspent rows of p_state_outputs. This equals
-- what a node lists (platform.getUTXOs) if the lake has all containers and all UTXOs that are in no container.
--
-- kind: transfer, stake after its release, or state for UTXOs that are in no container.
-- height: Height from which it can be spent; 0 for the genesis; null where it is missing in the lake.
-- amount_avax: The amount in AVAX, exact; null for other assets, and where chains does not name the asset.

-- State outputs are unspent until something spends them, also if the lake does not know since when.
SELECT
  utxo.network,
  utxo.utxo_id,
  utxo.tx_id,
  utxo.output_index,
  utxo.kind,
  utxo.origin,
  utxo.staked_tx_id,
  utxo.height,
  utxo.block_time,
  utxo.asset_id,
  utxo.amount,
  CASE WHEN utxo.asset_id = chains.native_asset_id THEN utxo.amount * 0.000000001::DECIMAL(9,9) END AS amount_avax,
  utxo.addresses,
  utxo.threshold,
  utxo.locktime,
  utxo.stakeable_locktime
FROM p_utxo_spans AS utxo
LEFT JOIN (SELECT * FROM chains WHERE alias = 'P') AS chains USING (network)
WHERE utxo.spent_tx_id IS NULL AND (utxo.height IS NOT NULL OR utxo.kind = 'state')
