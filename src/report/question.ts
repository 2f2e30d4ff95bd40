import type { PageAnswer, PageColumn } from './page-data.ts'
import { workLogSql } from './work-log.ts'

/** The values that the SQL of a question contains: see `sqlOf`. */
export type Asking = {
  /** The network as a quoted SQL text. */
  readonly network: string
  /** The day 90 days before the newest block of the network, as an SQL date. */
  readonly since: string
  /** The grain to which times are cut. */
  readonly grain: Grain
  /** When the page is made, in milliseconds since 1970. */
  readonly nowMs: number
  /** The path of the log of work. */
  readonly log: string
}

/** A query of the report with its picture. The names of its columns are the headings of the table, and their types say how to show values. */
export type Question = {
  /** Unique; part of addresses within the page. */
  readonly id: string
  readonly title: string
  /** What is counted and what is not, in a sentence or two. */
  readonly says: string
  /** The source of the picture's times: their span decides the grain. Absent where no time is cut. */
  readonly time?: { readonly from: string; readonly column: string }
  /**
   * One SELECT that returns its rows in the order of the picture, at most some thousands. `sqlOf` replaces `$network`, `$since`, `$grain`,
   * `$dayAgo` (a time) and `$log` (a table).
   */
  readonly sql: string
  /** What columns count, if their type does not say it. */
  readonly units?: Readonly<Record<string, keyof typeof kindsByUnit>>
  /** Default: the table alone. */
  readonly picture?: PageAnswer['picture']
}

/** Amounts in the least unit of a chain are shown in whole tokens; numbers of more than 38 digits are texts. */
const kindsByUnit = {
  bytes: { as: 'whole', unit: 'bytes' },
  seconds: { as: 'number', unit: 's' },
  nAVAX: { as: 'whole', decimals: 9, unit: 'tokens' },
  wei: { as: 'whole', decimals: 18, unit: 'tokens' },
  digits: { as: 'whole' },
} as const

/** How the page shows a column, by its name and its type in DuckDB. */
export function shownColumn(name: string, type: string, { units = {} }: Question): PageColumn {
  const unit = units[name]
  if (unit !== undefined) return { name, kind: kindsByUnit[unit] }
  if (type.startsWith('TIMESTAMP')) return { name, kind: { as: 'time' } }
  if (type === 'VARCHAR') return { name, kind: { as: 'text' } }
  return { name, kind: { as: /^(DOUBLE|FLOAT|DECIMAL\(\d+,[1-9])/.test(type) ? 'number' : 'whole' } }
}

type OverTime = Pick<Question, 'id' | 'title' | 'says' | 'time' | 'units'> & {
  /** A table or view, and its column with the time. Default: the time of the block. */
  readonly from: string
  readonly column?: string
  readonly where?: string
  /** The SQL of each column, by its name: first of what tells series apart, if anything. */
  readonly series?: Readonly<Record<string, string>>
  readonly values: Readonly<Record<string, string>>
  /** The values with a picture. Default: all. */
  readonly drawn?: readonly string[]
}

/** A question about the rows of a network by the time that they have, with one picture for each value. */
export function overTime({
  from,
  column = 'block_time',
  where,
  series = {},
  values,
  drawn,
  ...about
}: OverTime): Question {
  const [name] = Object.keys(series)
  const columns = Object.entries({ ...series, ...values }).map(([title, sql]) => `${sql} AS "${title}"`)
  return {
    time: { from, column },
    ...about,
    sql: `SELECT ${[`${cutTime(column)} AS "Time"`, ...columns].join(',\n  ')}
FROM ${from}
WHERE network = $network AND ${column} IS NOT NULL${where === undefined ? '' : ` AND ${where}`}
GROUP BY ALL
ORDER BY 1${name === undefined ? '' : ', 2'}
LIMIT 6000`,
    picture: {
      kind: 'times',
      time: 'Time',
      values: drawn ?? Object.keys(values),
      ...(name === undefined ? {} : { series: name }),
    },
  }
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

type Grain = (typeof grains)[number][0]

/** The grain for a span of this many milliseconds. */
export function grainFor(lengthMs: number): Grain {
  return grains.find(([, mostMs]) => lengthMs <= mostMs)?.[0] ?? 'month'
}

/** SQL that cuts a TIMESTAMPTZ in UTC, whatever the time zone of the session. */
export function cutTime(column: string): string {
  return `date_trunc('$grain', ${column} AT TIME ZONE 'UTC')`
}

/** The SQL of a question with these values. */
export function sqlOf({ sql }: Question, { nowMs, log, ...texts }: Asking): string {
  const dayAgo = `TIMESTAMPTZ '${new Date(nowMs - 24 * hourMs).toISOString()}'`
  const values: Readonly<Record<string, string>> = { ...texts, dayAgo, log: workLogSql(log) }
  return sql.replaceAll(/\$(\w+)/g, (mark: string, name: string) => values[name] ?? mark)
}
