import { join } from 'node:path'
import { sqlText } from '../../lib/text/sql-quote.ts'

/** Beside the catalog: what commands that ran jobs did, a line of JSON for each. */
export const workLogName = 'work.ndjson'

/** What a command asked of a host. */
export type HostWork = {
  /** Its origin, such as `https://data.example`. */
  readonly host: string
  /** Each try of them. */
  readonly requests: number
  /** Compute units; of nodes none. */
  readonly units: number
  /** Requests that failed and were tried again. */
  readonly retries: number
  /** Those of them that the host refused as too many. */
  readonly refusals: number
  readonly waitSeconds: number
}

/** What one command did. */
export type WorkEntry = {
  /** ISO, UTC. */
  readonly started: string
  readonly ended: string
  readonly commits: number
  readonly commitSeconds: number
  readonly publications: number
  readonly publicationSeconds: number
  /** Records of ranges that its jobs lacked when it began. */
  readonly lag: number
  readonly hosts: readonly HostWork[]
}

export function workLogPath(lakeDir: string): string {
  return join(lakeDir, workLogName)
}

/** SQL that reads the log as a table; a line that is not whole is left out. */
export function workLogSql(path: string): string {
  const hosts =
    'STRUCT(host VARCHAR, requests BIGINT, units BIGINT, retries BIGINT, refusals BIGINT, waitSeconds DOUBLE)[]'
  const columns = `{started: 'TIMESTAMP', ended: 'TIMESTAMP', commits: 'BIGINT', commitSeconds: 'DOUBLE', publications: 'BIGINT', publicationSeconds: 'DOUBLE', lag: 'BIGINT', hosts: '${hosts}'}`
  return `read_json(${sqlText(path)}, format = 'newline_delimited', ignore_errors = true, columns = ${columns})`
}
