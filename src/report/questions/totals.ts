import { bytes, count, type Question, time } from './question.ts'

/** The numbers at the top of a page. */
export const totals: Question<{ readonly nowMs: number }> = {
  id: 'totals',
  title: 'The lake in numbers',
  says: 'Data files that are visible now, and commits of new rows within a day before the page was made.',
  needs: ['catalog.main.ducklake_data_file'],
  time: null,
  sql: ({ nowMs }) => `WITH file AS (
  SELECT *, snapshot_time > TIMESTAMPTZ '${new Date(nowMs - 86_400_000).toISOString()}'
    AND data_file_id NOT IN (SELECT data_file_id FROM catalog.chainlake.compacted_file) AS is_recent
  FROM catalog.main.ducklake_data_file AS file
  JOIN catalog.main.ducklake_snapshot AS snapshot ON snapshot.snapshot_id = file.begin_snapshot
)
SELECT CAST(sum(record_count) FILTER (WHERE end_snapshot IS NULL) AS BIGINT) AS "rows",
  CAST(sum(file_size_bytes) FILTER (WHERE end_snapshot IS NULL) AS BIGINT) AS bytes,
  count(*) FILTER (WHERE end_snapshot IS NULL) AS files,
  (SELECT count(*) FROM (SELECT DISTINCT snapshot_id FROM file WHERE is_recent)) AS "commits within a day",
  CAST(coalesce(sum(record_count) FILTER (WHERE is_recent), 0) AS BIGINT) AS "rows within a day",
  max(snapshot_time) AT TIME ZONE 'UTC' AS "last commit"
FROM file`,
  columns: [
    count('rows', 'Rows'),
    bytes('bytes', 'Size'),
    count('files', 'Files'),
    count('commits within a day', 'Commits within a day'),
    count('rows within a day', 'Rows within a day'),
    time('last commit', 'Last commit'),
  ],
  picture: { kind: 'list' },
}
