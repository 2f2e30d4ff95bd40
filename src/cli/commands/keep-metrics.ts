import { createServer, type Server } from 'node:http'
import { ConfigError } from '../../errors.ts'
import { getOrCreate } from '../../lib/arrays.ts'
import { replaceFile } from '../../lib/files.ts'
import type { RunEvent } from '../../run/events.ts'
import { parsePort } from '../settings.ts'

type MetricsOptions = {
  readonly file: string | null
  readonly address: MetricsAddress | null
  /** Compute units per day, by host. */
  readonly unitsPerDay: Readonly<Record<string, number | null>>
}

const everyMs = 10_000

/** Keeps metrics in a file, on a port, or both. Throws ConfigError when the address cannot be used, for example because its port is taken. */
export async function keepMetrics({ file, address, unitsPerDay }: MetricsOptions) {
  const metrics = createMetrics()
  metrics.set('chainlake_up', 1)
  for (const [host, units] of Object.entries(unitsPerDay))
    if (units !== null) metrics.set('chainlake_budget_units', units, { host })
  const server = address === null ? null : await serveMetrics(metrics.text, address)
  let writing: Promise<void> = Promise.resolve()
  const write = (): Promise<void> => {
    if (file !== null) writing = writing.then(() => replaceFile(file, metrics.text()))
    return writing
  }
  await write()
  // A failed write is retried with the next interval; only the last write reports its error.
  const timer = setInterval(
    () =>
      void write().catch(() => {
        writing = Promise.resolve()
      }),
    everyMs,
  )
  timer.unref()
  return {
    onEvent: metrics.onEvent,
    /** Writes the metrics a last time, with the exit code of the command. */
    end: async (exitCode: number): Promise<void> => {
      clearInterval(timer)
      metrics.set('chainlake_up', 0)
      metrics.set('chainlake_exit_code', exitCode)
      metrics.set('chainlake_end_timestamp_seconds', Date.now() / 1000)
      await writing.catch(() => undefined)
      writing = Promise.resolve()
      await write()
      server?.closeAllConnections()
      server?.close()
    },
  }
}

/** Where metrics are served. */
type MetricsAddress = { readonly host: string; readonly port: number }

/** Parses `PORT`, which is on loopback, or `HOST:PORT`; the host may be an IPv6 address in brackets. Throws ConfigError. */
export function parseMetricsAddress(name: string, text: string): MetricsAddress {
  const [, bracketed, plain, port = text] = /^(?:\[([^\]]+)\]|([^:[\]]+)):([^:]*)$/.exec(text) ?? []
  return { host: bracketed ?? plain ?? '127.0.0.1', port: parsePort(name, port) }
}

/**
 * Serves OpenMetrics text at `/metrics`, and `ok` at `/healthz` while the process answers. The server does not keep the process alive.
 *
 * @throws ConfigError `config.metrics-port` when the address cannot be used.
 */
async function serveMetrics(text: () => string, { host, port }: MetricsAddress): Promise<Server> {
  const pages: Readonly<Record<string, { readonly type: string; readonly text: () => string }>> = {
    '/metrics': { type: 'application/openmetrics-text; version=1.0.0; charset=utf-8', text },
    '/healthz': { type: 'text/plain', text: () => 'ok\n' },
  }
  const server = createServer(({ url = '', method }, response) => {
    const page = method === 'GET' || method === 'HEAD' ? pages[url.split('?')[0] ?? ''] : undefined
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': page?.type ?? 'text/plain' })
    response.end(page === undefined ? 'Not found: metrics are at /metrics.\n' : page.text())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  }).catch((error: NodeJS.ErrnoException) => {
    const taken = error.code === 'EADDRINUSE'
    throw new ConfigError(`Metrics cannot be served on ${host}, port ${port}${taken ? ': the port is in use' : ''}.`, {
      code: 'config.metrics-port',
      details: { reason: error.code ?? error.message },
      hint: taken
        ? 'Give --metrics-port another port.'
        : 'Give --metrics-port a port, or HOST:PORT with an address of this machine.',
    })
  })
  server.unref()
  return server
}

type Kind = 'counter' | 'gauge'

type Labels = Readonly<Record<string, string>>

/** Every metric with its kind and its meaning. */
export const metricFamilies = {
  chainlake_rows: ['counter', 'Committed rows, by table.'],
  chainlake_files: ['counter', 'Committed data files, by table.'],
  chainlake_bytes: ['counter', 'Bytes of committed data files, by table.'],
  chainlake_commits: ['counter', 'Commits.'],
  chainlake_commit_seconds: ['counter', 'Seconds spent in commits, including the wait for the catalog lock.'],
  chainlake_publications: ['counter', 'Publications of views and catalog.'],
  chainlake_requests: ['counter', 'Sent requests; each attempt counts.'],
  chainlake_request_units: ['counter', 'Compute units that the requests cost.'],
  chainlake_retries: ['counter', 'Retries of failed requests.'],
  chainlake_wait_seconds: ['counter', 'Seconds that failed requests waited before their retry.'],
  chainlake_warnings: ['counter', 'Warnings.'],
  chainlake_lag_records: [
    'gauge',
    'Records or items of the source that the lake does not have yet, as of the last look at the head, by job.',
  ],
  chainlake_head: ['gauge', 'Last final coordinate, by job.'],
  chainlake_head_reached_timestamp_seconds: [
    'gauge',
    'When a round of the job last ended at the head of its source, in seconds since 1970 UTC, by job.',
  ],
  chainlake_newest_timestamp_seconds: [
    'gauge',
    'Time of the newest block that the run committed, in seconds since 1970 UTC, by job.',
  ],
  chainlake_snapshot: ['gauge', 'Last committed snapshot.'],
  chainlake_budget_units: ['gauge', 'Compute units that a host grants per day.'],
  chainlake_memory_bytes: ['gauge', 'Resident memory of the process.'],
  chainlake_up: ['gauge', '1 while the command runs, 0 after its end.'],
  chainlake_exit_code: ['gauge', 'Exit code of the command.'],
  chainlake_end_timestamp_seconds: ['gauge', 'When the command ended, in seconds since 1970 UTC.'],
} as const satisfies Readonly<Record<string, readonly [Kind, string]>>

type Name = keyof typeof metricFamilies
type GaugeName = { [N in Name]: (typeof metricFamilies)[N][0] extends 'gauge' ? N : never }[Name]

/** Metrics of runs as OpenMetrics text. Names and labels are a public interface: never change them. */
export function createMetrics() {
  /** The samples of each metric, by their labels. */
  const samples = new Map<Name, Map<string, number>>()
  const samplesOf = (name: Name) => getOrCreate(samples, name, () => new Map())
  const add = (name: Name, value: number, labels: Labels = {}): void => {
    const key = labelText(labels)
    samplesOf(name).set(key, (samplesOf(name).get(key) ?? 0) + value)
  }
  const set = (name: GaugeName, value: number, labels: Labels = {}): void => {
    samplesOf(name).set(labelText(labels), value)
  }
  const setFreshness = (event: RunEvent): void => {
    if (event.kind === 'round' && event.atHead === true)
      set('chainlake_head_reached_timestamp_seconds', Date.now() / 1000, { job: event.pipeline })
    if (event.kind !== 'committed' || event.newest === undefined) return
    const job = { job: event.pipeline }
    const before = samplesOf('chainlake_newest_timestamp_seconds').get(labelText(job)) ?? 0
    set('chainlake_newest_timestamp_seconds', Math.max(before, Date.parse(event.newest) / 1000), job)
  }
  // Counters without labels start at 0 instead of being absent.
  for (const name of Object.keys(metricFamilies) as Name[])
    if (metricFamilies[name][0] === 'counter' && !/_(rows|files|bytes)$/.test(name)) add(name, 0)
  return {
    set,
    onEvent: (event: RunEvent): void => {
      setFreshness(event)
      switch (event.kind) {
        case 'stored':
          add('chainlake_commits', 1)
          add('chainlake_commit_seconds', event.seconds)
          set('chainlake_snapshot', event.snapshotId)
          for (const { table, rows, bytes } of event.parts) {
            add('chainlake_rows', rows, { table })
            add('chainlake_files', 1, { table })
            add('chainlake_bytes', bytes, { table })
          }
          break
        case 'requests':
          add('chainlake_requests', event.requests)
          add('chainlake_request_units', event.units)
          break
        case 'retry':
          add('chainlake_retries', 1)
          add('chainlake_wait_seconds', event.waitMs / 1000)
          break
        case 'published':
          add('chainlake_publications', 1)
          break
        case 'warning':
          add('chainlake_warnings', 1)
          break
        case 'planned':
          set('chainlake_head', event.head, { job: event.pipeline })
          set('chainlake_lag_records', event.records, { job: event.pipeline })
          break
        case 'progress':
          // The length of a list is unknown.
          if (event.total > 0) set('chainlake_lag_records', event.total - event.done, { job: event.pipeline })
          break
        case 'waiting':
          if (event.head !== null) set('chainlake_head', event.head, { job: event.pipeline })
          set('chainlake_lag_records', 0, { job: event.pipeline })
      }
    },
    text: (): string => {
      set('chainlake_memory_bytes', process.memoryUsage.rss())
      const names = Object.keys(metricFamilies) as Name[]
      return `${names.map((name) => familyText(name, samplesOf(name))).join('')}# EOF\n`
    },
  }
}

function familyText(name: Name, samples: ReadonlyMap<string, number>): string {
  if (samples.size === 0) return ''
  const [kind, help] = metricFamilies[name]
  const lines = [...samples].sort().map(([labels, value]) => `${sampleName(name, kind)}${labels} ${value}\n`)
  return `# TYPE ${name} ${kind}\n# HELP ${name} ${help}\n${lines.join('')}`
}

/** The name of the samples of a metric, which readers query. */
export function sampleName(name: string, kind: Kind): string {
  return kind === 'counter' ? `${name}_total` : name
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
