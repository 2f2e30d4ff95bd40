import { join } from 'node:path'
import { sqlText } from '../../lib/text/sql-quote.ts'

/** The file next to the catalog that records the work of commands that ran jobs, one line of JSON for each command. */
export const workLogName = 'work.ndjson'

/** The requests of a command to one host. */
export type HostWork = {
  /** Its origin, such as `https://data.example`. */
  readonly host: string
  /** Number of requests; every try counts. */
  readonly requests: number
  /** Compute units; none for nodes. */
  readonly units: number
  /** Requests that failed and were retried. */
  readonly retries: number
  /** Number of these that the host refused because of too many requests. */
  readonly refusals: number
  readonly waitSeconds: number
}

/** The work of one command. */
export type WorkEntry = {
  /** ISO 8601 time in UTC. */
  readonly started: string
  readonly ended: string
  readonly commits: number
  readonly commitSeconds: number
  readonly publications: number
  readonly publicationSeconds: number
  /** Records of ranges that were missing for its jobs when it began. */
  readonly lag: number
  readonly hosts: readonly HostWork[]
}

export function workLogPath(lakeDir: string): string {
  return join(lakeDir, workLogName)
}

/** SQL that reads the log as a table; it skips incomplete lines. */
export function workLogSql(path: string): string {
  const hosts =
    'STRUCT(host VARCHAR, requests BIGINT, units BIGINT, retries BIGINT, refusals BIGINT, waitSeconds DOUBLE)[]'
  const columns = `{started: 'TIMESTAMP', ended: 'TIMESTAMP', commits: 'BIGINT', commitSeconds: 'DOUBLE', publications: 'BIGINT', publicationSeconds: 'DOUBLE', lag: 'BIGINT', hosts: '${hosts}'}`
  return `read_json(${sqlText(path)}, format = 'newline_delimited', ignore_errors = true, columns = ${columns})`
}
