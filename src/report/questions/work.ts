import { sqlText } from '../../lib/text/sql-quote.ts'
import { workLogName, workLogSql } from '../data/work-log.ts'
import { type Asking, bytes, count, cutTime, type Question, seconds, text, time } from './question.ts'

/** The values that the SQL of questions about the catalog contains, for all networks together. */
type AboutWork = Pick<Asking, 'grain'>

/** Files that were written with new rows. Merged files are left out: their rows came with other files. */
const written = `catalog.main.ducklake_data_file AS file
JOIN catalog.main.ducklake_snapshot AS snapshot ON snapshot.snapshot_id = file.begin_snapshot
JOIN catalog.main.ducklake_table AS "table" ON "table".table_id = file.table_id AND "table".end_snapshot IS NULL
WHERE file.data_file_id NOT IN (SELECT data_file_id FROM catalog.chainlake.compacted_file)`

const files = 'catalog.main.ducklake_data_file'
const merged = 'catalog.chainlake.compacted_file'
const snapshots = { from: 'catalog.main.ducklake_snapshot', column: 'snapshot_time' }
/** Number of tables that have a colour of their own in a picture. */
const ownColours = 6
const otherTables = 'other tables'

const growthBy = (measure: 'record_count' | 'file_size_bytes', name: string, { grain }: AboutWork): string =>
  `WITH added AS (
  SELECT ${cutTime(grain, 'snapshot.snapshot_time')} AS period, "table".table_name AS name, file.${measure} AS measure
  FROM ${written.replaceAll('\n', '\n  ')}
), largest AS (
  SELECT name FROM added GROUP BY ALL ORDER BY sum(measure) DESC, name LIMIT ${ownColours}
)
SELECT period, CASE WHEN name IN (FROM largest) THEN name ELSE ${sqlText(otherTables)} END AS "table",
  CAST(sum(measure) AS BIGINT) AS ${name}
FROM added
GROUP BY ALL
ORDER BY 1, 3 DESC, 2
LIMIT 6000`

export const growth: readonly Question<AboutWork>[] = [
  {
    id: 'growth-rows',
    title: 'Rows committed',
    says: 'By the time of the commit. What was merged later does not count again; what expired does not count any more.',
    needs: [files, merged],
    time: snapshots,
    sql: (about) => growthBy('record_count', '"rows"', about),
    columns: [time('period', 'Time'), text('table', 'Table'), count('rows', 'Rows')],
    picture: { kind: 'times', time: 'period', values: ['rows'], series: 'table', rest: otherTables },
  },
  {
    id: 'growth-bytes',
    title: 'Bytes committed',
    says: 'Of the same data files, as they were written.',
    needs: [files, merged],
    time: snapshots,
    sql: (about) => growthBy('file_size_bytes', 'bytes', about),
    columns: [time('period', 'Time'), text('table', 'Table'), bytes('bytes', 'Size')],
    picture: { kind: 'times', time: 'period', values: ['bytes'], series: 'table', rest: otherTables },
  },
  {
    id: 'tables',
    title: 'What each table holds',
    says: 'Data files that are visible now.',
    needs: [files],
    time: null,
    sql: () => `SELECT "table".table_name AS "table", CAST(sum(file.record_count) AS BIGINT) AS "rows",
  CAST(sum(file.file_size_bytes) AS BIGINT) AS bytes, count(*) AS files
FROM catalog.main.ducklake_data_file AS file
JOIN catalog.main.ducklake_table AS "table" ON "table".table_id = file.table_id AND "table".end_snapshot IS NULL
WHERE file.end_snapshot IS NULL
GROUP BY ALL
ORDER BY bytes DESC, 1`,
    columns: [text('table', 'Table'), count('rows', 'Rows'), bytes('bytes', 'Size'), count('files', 'Files')],
    picture: { kind: 'bars', label: 'table', value: 'bytes' },
  },
  {
    id: 'file-sizes',
    title: 'Files by size',
    says: 'Many small files make queries slow; chainlake compact merges them.',
    needs: [files],
    time: null,
    sql: () => `SELECT CASE WHEN file_size_bytes < 10000 THEN 'below 10 kB' WHEN file_size_bytes < 100000 THEN '10 to 100 kB'
    WHEN file_size_bytes < 1000000 THEN '100 kB to 1 MB' WHEN file_size_bytes < 10000000 THEN '1 to 10 MB'
    WHEN file_size_bytes < 100000000 THEN '10 to 100 MB' ELSE '100 MB and more' END AS size,
  count(*) AS files, CAST(sum(file_size_bytes) AS BIGINT) AS bytes
FROM catalog.main.ducklake_data_file
WHERE end_snapshot IS NULL
GROUP BY ALL
ORDER BY min(file_size_bytes)`,
    columns: [text('size', 'File size'), count('files', 'Files'), bytes('bytes', 'Together')],
    picture: { kind: 'columns', label: 'size', value: 'files' },
  },
]

/** Questions about the work log, by the path of the log. */
export const efforts: readonly Question<AboutWork & { readonly log: string }>[] = [
  {
    id: 'hosts',
    title: 'Requests, waits and refusals by host',
    says: 'For all recorded commands: requests, retries included, and requests that a host refused because there were too many.',
    needs: [workLogName],
    time: null,
    sql: ({
      log,
    }) => `SELECT host.host AS host, CAST(sum(host.requests) AS BIGINT) AS requests, CAST(sum(host.units) AS BIGINT) AS units,
  CAST(sum(host.retries) AS BIGINT) AS retries, CAST(sum(host.refusals) AS BIGINT) AS refusals,
  round(sum(host.waitSeconds), 1) AS waited
FROM (
  SELECT unnest(hosts) AS host
  FROM ${workLogSql(log)}
)
GROUP BY ALL
ORDER BY requests DESC, 1
LIMIT 100`,
    columns: [
      text('host', 'Host'),
      count('requests', 'Requests'),
      count('units', 'Units'),
      count('retries', 'Tried again'),
      count('refusals', 'Refused'),
      seconds('waited', 'Waited'),
    ],
    picture: { kind: 'bars', label: 'host', value: 'requests' },
  },
  {
    id: 'efforts',
    title: 'Seconds of commits and publications, and lag',
    says: 'By when a command ended. The lag is the number of records that were missing in its ranges when it began.',
    needs: [workLogName],
    time: null,
    sql: ({
      log,
    }) => `SELECT date_trunc('minute', ended) AS period, count(*) AS commands, round(sum(commitSeconds), 3) AS "commit seconds",
  round(sum(publicationSeconds), 3) AS "publication seconds", CAST(sum(commits) AS BIGINT) AS commits,
  CAST(sum(publications) AS BIGINT) AS publications, CAST(max(lag) AS BIGINT) AS lag
FROM ${workLogSql(log)}
GROUP BY ALL
ORDER BY 1 DESC
LIMIT 300`,
    columns: [
      time('period', 'Ended'),
      count('commands', 'Commands'),
      seconds('commit seconds', 'Commits took'),
      seconds('publication seconds', 'Publications took'),
      count('commits', 'Commits'),
      count('publications', 'Publications'),
      count('lag', 'Lag, records'),
    ],
    picture: { kind: 'points', time: 'period', values: ['commit seconds', 'publication seconds', 'lag'] },
  },
]

export const work: readonly Question<AboutWork>[] = [
  {
    id: 'commits',
    title: 'Commits',
    says: 'Each makes a snapshot, which readers see when it is published.',
    needs: ['catalog.main.ducklake_snapshot'],
    time: snapshots,
    sql: ({ grain }) => `SELECT ${cutTime(grain, 'snapshot_time')} AS period, count(*) AS commits
FROM catalog.main.ducklake_snapshot
WHERE snapshot_id > 0
GROUP BY ALL
ORDER BY 1
LIMIT 3000`,
    columns: [time('period', 'Time'), count('commits', 'Commits')],
    picture: { kind: 'times', time: 'period', values: ['commits'] },
  },
  {
    id: 'runs',
    title: 'The last runs',
    says: 'How each ended, as of this snapshot: the run that published it had not ended yet then.',
    needs: ['catalog.chainlake.run'],
    time: null,
    sql: () => `SELECT started AT TIME ZONE 'UTC' AS started, round(epoch(ended - started), 1) AS seconds,
  coalesce(outcome, 'not ended') AS outcome, command, len(streams) AS streams, left(streams[1], 200) AS "first stream"
FROM catalog.chainlake.run
ORDER BY run_id DESC
LIMIT 50`,
    columns: [
      time('started', 'Started'),
      seconds('seconds', 'Took'),
      text('outcome', 'Outcome'),
      text('command', 'Command'),
      count('streams', 'Streams'),
      text('first stream', 'First stream'),
    ],
    picture: { kind: 'list' },
  },
  {
    id: 'pace',
    title: 'What jobs took',
    says: 'When each was last run to its end: records of ranges, requests of lists.',
    needs: ['catalog.chainlake.measure'],
    time: null,
    sql: () => `SELECT job, pipeline, epoch_ms(ended_ms) AS ended, duration_ms / 1000 AS seconds, record_count AS records,
  request_count AS requests
FROM catalog.chainlake.measure
ORDER BY duration_ms DESC, job, pipeline
LIMIT 200`,
    columns: [
      text('job', 'Job'),
      text('pipeline', 'Pipeline'),
      time('ended', 'Ended'),
      seconds('seconds', 'Took'),
      count('records', 'Records'),
      count('requests', 'Requests'),
    ],
    picture: { kind: 'bars', label: 'job', value: 'seconds' },
  },
  {
    id: 'budget',
    title: 'Budget of services',
    says: 'Compute units that were taken from the day of each host, with and without a key; of hosts that grant no number of units a day nothing is counted.',
    needs: ['catalog.chainlake.spent_units'],
    time: { from: 'catalog.chainlake.spent_units', column: 'epoch_ms(period_ms)' },
    sql: () => `SELECT date_trunc('hour', epoch_ms(period_ms)) AS period, origin || ' ' || key_fingerprint AS host,
  CAST(sum(units) AS BIGINT) AS units
FROM catalog.chainlake.spent_units
GROUP BY ALL
ORDER BY 1, 2
LIMIT 3000`,
    columns: [time('period', 'Hour'), text('host', 'Host and key'), count('units', 'Units')],
    picture: { kind: 'times', time: 'period', values: ['units'], series: 'host' },
  },
]

/** The newest block of each chain. The times of these blocks show how fresh the lake is. */
export const newest: Question<AboutWork> = {
  id: 'newest',
  title: 'Newest blocks',
  says: 'For each chain that has blocks in the lake.',
  needs: [],
  time: null,
  sql: () => `SELECT chain, network, blocks, height, newest
FROM (
  SELECT 'P' AS chain, network, count(*) AS blocks, max(height) AS height, max(block_time) AT TIME ZONE 'UTC' AS newest FROM p_blocks GROUP BY ALL
  UNION ALL
  SELECT 'X ' || blockchain_id, network, count(*), max(height), max(block_time) AT TIME ZONE 'UTC' FROM x_blocks GROUP BY ALL
  UNION ALL
  SELECT 'C ' || blockchain_id, network, count(*), max(block_number), max(block_time) AT TIME ZONE 'UTC' FROM c_blocks GROUP BY ALL
  UNION ALL
  SELECT 'EVM ' || chain_id, network, count(*), max(block_number), max(block_time) AT TIME ZONE 'UTC' FROM evm_blocks GROUP BY ALL
)
ORDER BY newest DESC NULLS LAST, chain, network
LIMIT 200`,
  columns: [
    text('chain', 'Chain'),
    text('network', 'Network'),
    count('blocks', 'Blocks'),
    count('height', 'Highest'),
    time('newest', 'Newest block'),
  ],
  picture: { kind: 'list' },
}
