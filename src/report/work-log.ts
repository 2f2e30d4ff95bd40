import { appendFile, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { lakeExists } from '../catalog/lake.ts'
import type { LakeLocation } from '../catalog/place.ts'
import { getOrCreate } from '../lib/arrays.ts'
import { replaceFile } from '../lib/files.ts'
import { sqlText } from '../lib/text.ts'
import type { RunEvent } from '../run/events.ts'

/** Sums the events of runs into an entry for the work log of the lake, which `workLogSql` reads. */
export function createWorkRecorder() {
  const started = new Date().toISOString()
  const sums = { commits: 0, commitSeconds: 0, publications: 0, publicationSeconds: 0 }
  const lags = new Map<string, number>()
  const hosts = new Map<string, ReturnType<typeof newHost>>()
  const hostOf = (host: string) => getOrCreate(hosts, host, () => newHost(host))
  return {
    onEvent: (event: RunEvent): void => {
      switch (event.kind) {
        case 'stored':
          sums.commits++
          sums.commitSeconds += event.seconds
          break
        case 'published':
          sums.publications++
          sums.publicationSeconds += event.seconds
          break
        case 'planned':
          // For a followed job the first plan counts.
          if (!lags.has(event.pipeline)) lags.set(event.pipeline, event.records)
          break
        case 'requests': {
          const host = hostOf(event.host)
          host.requests += event.requests
          host.units += event.units
          break
        }
        case 'retry': {
          const host = hostOf(new URL(event.url).origin)
          host.retries++
          if (/\b429\b/.test(event.reason)) host.refusals++
          host.waitSeconds += event.waitMs / 1000
        }
      }
    },
    /** Null when nothing was requested, committed or published. */
    entry: () => {
      if (hosts.size === 0 && sums.commits + sums.publications === 0) return null
      const lag = [...lags.values()].reduce((sum, each) => sum + each, 0)
      const ended = new Date().toISOString()
      return {
        started,
        ended,
        ...sums,
        commitSeconds: rounded(sums.commitSeconds),
        publicationSeconds: rounded(sums.publicationSeconds),
        /** Records of ranges that were missing for its jobs when it began. */
        lag,
        hosts: [...hosts.values()].map((host) => ({ ...host, waitSeconds: rounded(host.waitSeconds) })),
      }
    },
  }
}

/** What was requested of a host, which is an origin. Every try is a request; `refusals` are retries because of too many requests. */
function newHost(host: string) {
  return { host, requests: 0, units: 0, retries: 0, refusals: 0, waitSeconds: 0 }
}

/** A log that grows beyond this size loses its older half. */
const mostBytes = 1_000_000

/** Appends what a command did to the work log of its lake, which reports read. */
export async function recordWork(
  { entry }: ReturnType<typeof createWorkRecorder>,
  lake: LakeLocation,
  warn: (message: string) => void,
): Promise<void> {
  const work = entry()
  if (work === null || !(await lakeExists(lake))) return
  await appendWork(lake.folder, work, ({ message }) =>
    warn(`The work log of the lake could not be written: ${message}`),
  )
}

/**
 * Appends an entry to the work log of a lake. The log is not part of the data: `onError` is called when it cannot be written, and the
 * run does not fail.
 */
export async function appendWork(
  lakeDir: string,
  entry: NonNullable<ReturnType<ReturnType<typeof createWorkRecorder>['entry']>>,
  onError: (error: Error) => void,
): Promise<void> {
  const file = workLogPath(lakeDir)
  try {
    await appendFile(file, `${JSON.stringify(entry)}\n`)
    if ((await stat(file)).size <= mostBytes) return
    const lines = (await readFile(file, 'utf8')).split('\n')
    await replaceFile(file, lines.slice(Math.floor(lines.length / 2)).join('\n'))
  } catch (error) {
    onError(error as Error)
  }
}

/** The file next to the catalog that records the work of commands that ran jobs, one line of JSON for each command. */
export function workLogPath(lakeDir: string): string {
  return join(lakeDir, 'work.ndjson')
}

/** SQL that reads the log as a table; it skips incomplete lines. */
export function workLogSql(path: string): string {
  const hosts =
    'STRUCT(host VARCHAR, requests BIGINT, units BIGINT, retries BIGINT, refusals BIGINT, waitSeconds DOUBLE)[]'
  const columns = `{started: 'TIMESTAMP', ended: 'TIMESTAMP', commits: 'BIGINT', commitSeconds: 'DOUBLE', publications: 'BIGINT', publicationSeconds: 'DOUBLE', lag: 'BIGINT', hosts: '${hosts}'}`
  return `read_json(${sqlText(path)}, format = 'newline_delimited', ignore_errors = true, columns = ${columns})`
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}
