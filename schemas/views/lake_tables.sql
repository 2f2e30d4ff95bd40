-- What the lake has: one row per table that a run has filled or read. Start here; SHOW TABLES FROM lake.filled lists the
-- tables and views with rows.
--
-- table_name: Name of the table.
-- row_count: Number of rows.
-- unit: What slice_from and slice_to count: heights, containers, blocks, seconds; records for lists. Null where streams
--   of several kinds filled the table.
-- slice_from: First coordinate that was read of any stream; null for lists, without a unit, and in views of an earlier
--   snapshot.
-- slice_to: Coordinate after the last one that was read; null as slice_from. There may be gaps: see coverage.
-- newest: Newest time of a row, of its block or its observation (UTC); null without one, and in views of an earlier
--   snapshot.
-- jobs: Pipelines that filled the table; null in views of an earlier snapshot.

SELECT
  NULL::VARCHAR AS table_name,
  NULL::BIGINT AS row_count,
  NULL::VARCHAR AS unit,
  NULL::BIGINT AS slice_from,
  NULL::BIGINT AS slice_to,
  NULL::TIMESTAMPTZ AS newest,
  NULL::VARCHAR[] AS jobs
WHERE false
