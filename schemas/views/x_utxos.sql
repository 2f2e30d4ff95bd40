SELECT
  network,
  blockchain_id,
  utxo_id,
  tx_id,
  output_index,
  origin,
  height,
  block_time,
  output_type,
  asset_id,
  amount,
  addresses,
  threshold,
  locktime,
  group_id,
  payload
FROM x_utxo_spans
WHERE spent_tx_id IS NULL
