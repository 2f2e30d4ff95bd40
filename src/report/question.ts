import type { PageColumn, Picture } from './page-data.ts'

/** The values that the SQL of a question about one network contains. */
export type Asking = {
  /** The network as a quoted SQL text. */
  readonly network: string
  /** The day 90 days before the newest block of the network, as an SQL date. */
  readonly since: string
  /** The grain to which times are cut. */
  readonly grain: Grain
}

/** A query of the report, declared once, from its SQL to its picture. */
export type Question<Subject = Asking> = {
  /** Unique; part of addresses within the page. */
  readonly id: string
  readonly title: string
  /** What is counted and what is not, in a sentence or two. */
  readonly says: string
  /** The source of the picture's times: their span decides the grain. Null where no time is cut. */
  readonly time: { readonly from: string; readonly column: string } | null
  /** One SELECT that returns its rows in the order of the picture, at most some thousands. */
  readonly sql: (about: Subject) => string
  /** Every column of the answer, in its order. */
  readonly columns: readonly PageColumn[]
  readonly picture: Picture
}

/** Questions under one heading. */
export type QuestionGroup<Subject = Asking> = {
  readonly id: string
  readonly title: string
  readonly questions: readonly Question<Subject>[]
}

const hourMs = 3_600_000

/**
 * The grains to which times are cut, from the finest, each with the longest span (milliseconds) that uses it. A picture then has some
 * hundred bars at most.
 */
const grains = [
  ['minute', 3 * hourMs],
  ['hour', 5 * 24 * hourMs],
  ['day', 400 * 24 * hourMs],
  ['week', 2_600 * 24 * hourMs],
  ['month', Number.POSITIVE_INFINITY],
] as const

export type Grain = (typeof grains)[number][0]

/** The grain for a span of this many milliseconds. */
export function grainFor(lengthMs: number): Grain {
  return grains.find(([, mostMs]) => lengthMs <= mostMs)?.[0] ?? 'month'
}

/** SQL that cuts a TIMESTAMPTZ in UTC, whatever the time zone of the session. */
export function cutTime(grain: Grain, column: string): string {
  return `date_trunc('${grain}', ${column} AT TIME ZONE 'UTC')`
}

/** Decimal places of amounts in nAVAX, on the P-Chain and the X-Chain. */
const nano = 9
/** Decimal places of amounts in wei, on EVM chains. */
const atto = 18

export const text = (name: string, title: string): PageColumn => ({ name, title, kind: { as: 'text' } })
export const time = (name: string, title: string): PageColumn => ({ name, title, kind: { as: 'time' } })
export const count = (name: string, title: string): PageColumn => ({ name, title, kind: { as: 'whole' } })
export const bytes = (name: string, title: string): PageColumn => ({
  name,
  title,
  kind: { as: 'whole', unit: 'bytes' },
})
export const seconds = (name: string, title: string): PageColumn => ({
  name,
  title,
  kind: { as: 'number', unit: 's' },
})
export const decimal = (name: string, title: string): PageColumn => ({ name, title, kind: { as: 'number' } })
/** An amount in nAVAX. */
export const nanos = (name: string, title: string): PageColumn => ({
  name,
  title,
  kind: { as: 'whole', decimals: nano, unit: 'tokens' },
})
/** An amount in wei. */
export const weis = (name: string, title: string): PageColumn => ({
  name,
  title,
  kind: { as: 'whole', decimals: atto, unit: 'tokens' },
})

/** The numbers at the top of a page. */
export const totals: Question<{ readonly nowMs: number }> = {
  id: 'totals',
  title: 'The lake in numbers',
  says: 'Data files that are visible now, and commits of new rows within a day before the page was made.',
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

/** The newest block of each chain. The times of these blocks show how fresh the lake is. */
export const newest: Question<object> = {
  id: 'newest',
  title: 'Newest blocks',
  says: 'For each chain that has blocks in the lake.',
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
