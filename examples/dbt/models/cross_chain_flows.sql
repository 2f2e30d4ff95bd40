SELECT
  network,
  CAST(coalesce(export_time, import_time) AT TIME ZONE 'UTC' AS DATE) AS day,
  source_chain,
  destination_chain,
  count(*) AS transfer_count,
  count(*) FILTER (transfer_status = 'imported') AS imported_count,
  count(*) FILTER (transfer_status = 'pending') AS pending_count,
  sum(amount_avax) AS amount_avax,
  median(date_diff('second', export_time, import_time))::BIGINT AS median_seconds
FROM {{ source('lake', 'cross_chain_transfers') }}
-- Amounts of other assets have other units.
WHERE amount_avax IS NOT NULL
GROUP BY ALL
