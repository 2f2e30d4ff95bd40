-- One row per output of a P-Chain transaction that none of the owners of its inputs owns: what the transaction paid to
-- others, also as an export to another chain. Change and stake are not here. An output of a transaction with an input
-- that has no known owner has a row, too, in which paid is null.
--
-- kind: transfer or export (the UTXO exists on the destination chain).
-- from_addresses: Owners of the inputs, bech32 without chain prefix; null where the lake does not have the output that
--   an input spends, such as those of the genesis, rewards (p_state_outputs), and imports without their export.
-- to_addresses: Owners of the output, bech32 without chain prefix.
-- amount: Amount of the output in the least unit of the asset (AVAX: nAVAX). A condition on it comes before the search
--   for owners.
-- paid: The amount in nAVAX; null where from_addresses is null, for other assets, and where chains does not name the
--   asset.
-- paid_avax: The same in AVAX, exact.

WITH owned AS (
  SELECT network, tx_id, output_index, addresses
  FROM p_outputs
  UNION ALL
  SELECT network, tx_id, output_index, addresses
  FROM p_state_outputs
  UNION ALL
  SELECT network, tx_id, output_index, addresses
  FROM x_outputs
  WHERE kind = 'export'
  UNION ALL
  SELECT network, tx_id, output_index, addresses
  FROM c_atomic_outputs
  WHERE kind = 'export'
),
-- Of the groups only numbers are kept, so that DuckDB can move them to disk. A condition on height, block_time or amount comes before the
-- search for owners; one on other columns comes after it.
paying AS (
  SELECT
    output.network,
    output.height,
    output.block_time,
    output.tx_index,
    output.output_index,
    output.amount,
    bool_and(owned.addresses IS NOT NULL) AS is_known,
    bool_or(list_has_any(output.addresses, owned.addresses)) AS is_own,
    list(owned.addresses) AS owners
  FROM p_outputs AS output
  JOIN p_inputs AS input USING (network, height, tx_index)
  LEFT JOIN owned
    ON owned.network = input.network AND owned.tx_id = input.source_tx_id AND owned.output_index = input.source_output_index
  WHERE output.kind IN ('transfer', 'export')
  GROUP BY ALL
)
SELECT
  network,
  height,
  paying.block_time,
  tx_index,
  output.tx_id,
  output_index,
  output.kind,
  CASE WHEN paying.is_known THEN list_sort(list_distinct(flatten(paying.owners))) END AS from_addresses,
  output.addresses AS to_addresses,
  output.asset_id,
  amount,
  CASE WHEN paying.is_known AND output.asset_id = chains.native_asset_id THEN amount END AS paid,
  CASE WHEN paying.is_known AND output.asset_id = chains.native_asset_id THEN amount * 0.000000001::DECIMAL(9,9) END AS paid_avax
FROM paying
JOIN p_outputs AS output USING (network, height, tx_index, output_index, amount)
LEFT JOIN (SELECT * FROM chains WHERE alias = 'P') AS chains USING (network)
WHERE NOT (paying.is_known AND coalesce(paying.is_own, false))
