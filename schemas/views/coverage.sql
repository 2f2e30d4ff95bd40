-- What the lake has read: one row per table of a stream and range without a gap. It distinguishes ranges without rows
-- from ranges that were not read. Empty in views of an earlier snapshot.
--
-- network: Network: mainnet, fuji, local, network-<id> or evm-<chain id>.
-- stream: Stream that filled the table, such as mainnet/P/block.
-- table_name: Name of the table.
-- unit: What slice_from and slice_to count: heights, containers, blocks, seconds; records for lists.
-- slice_from: First coordinate that was read; null for lists.
-- slice_to: Coordinate after the last one that was read; null for lists.
-- row_count: Number of rows that the stream brought to the table.
-- committed_at: When a commit last added to the range (UTC); null where the snapshot of that commit has expired.

SELECT
  NULL::VARCHAR AS network,
  NULL::VARCHAR AS stream,
  NULL::VARCHAR AS table_name,
  NULL::VARCHAR AS unit,
  NULL::BIGINT AS slice_from,
  NULL::BIGINT AS slice_to,
  NULL::BIGINT AS row_count,
  NULL::TIMESTAMPTZ AS committed_at
WHERE false
