-- One row per output of the P-Chain and address that owns it. Each of these rows repeats the amount of the output:
-- filter by one address before you sum.
--
-- address: One of the owners, bech32 without chain prefix.
-- address_index: Position of the address among the owners, from 0.
-- address_count: Number of addresses that own the output.

SELECT
  network,
  height,
  block_time,
  tx_index,
  tx_id,
  output_index,
  utxo_id,
  kind,
  asset_id,
  amount,
  unnest(addresses) AS address,
  generate_subscripts(addresses, 1) - 1 AS address_index,
  len(addresses) AS address_count,
  threshold,
  locktime,
  stakeable_locktime
FROM p_outputs
