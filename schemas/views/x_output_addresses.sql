SELECT
  network,
  blockchain_id,
  height,
  block_time,
  tx_index,
  tx_id,
  output_index,
  utxo_id,
  kind,
  output_type,
  asset_id,
  amount,
  unnest(addresses) AS address,
  generate_subscripts(addresses, 1) - 1 AS address_index,
  len(addresses) AS address_count,
  threshold,
  locktime
FROM x_outputs
