-- State outputs are unspent until something spends them, also if the lake does not know since when.
SELECT
  network,
  utxo_id,
  tx_id,
  output_index,
  kind,
  origin,
  staked_tx_id,
  height,
  block_time,
  asset_id,
  amount,
  addresses,
  threshold,
  locktime,
  stakeable_locktime
FROM p_utxo_spans
WHERE spent_tx_id IS NULL AND (height IS NOT NULL OR kind = 'state')
