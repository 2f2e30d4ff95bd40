-- How long do imports wait for their exports?
SELECT source_chain, destination_chain, median(import_time - export_time) AS median_wait, max(import_time - export_time) AS longest_wait
FROM cross_chain_transfers WHERE import_time >= export_time GROUP BY ALL ORDER BY ALL
