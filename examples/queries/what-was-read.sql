-- What has the lake read, up to where?
SELECT stream, min(slice_from) AS slice_from, max(slice_to) AS slice_to, count(DISTINCT table_name) AS tables
FROM coverage WHERE slice_from IS NOT NULL GROUP BY ALL ORDER BY stream LIMIT 10
