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
