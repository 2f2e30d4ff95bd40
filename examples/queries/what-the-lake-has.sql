-- What does the lake have, and which pipelines filled it?
SELECT table_name, row_count, unit, slice_from, slice_to, jobs FROM lake_tables WHERE row_count > 0
ORDER BY row_count DESC, table_name LIMIT 8
