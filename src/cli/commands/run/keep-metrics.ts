import { createServer, type Server } from 'node:http'
import { ConfigError } from '../../../errors.ts'
import { replaceFile } from '../../../lib/files/replace-file.ts'
import type { RunEvent } from '../../../run/job/events.ts'
import { parsePort } from '../../settings/numbers.ts'
import { createMetrics } from './metrics.ts'

/** Metrics in a file, on a port, or both. */
export type KeptMetrics = {
  readonly onEvent: (event: RunEvent) => void
  /** Writes the metrics a last time, with the exit code of the command. */
  readonly end: (exitCode: number) => Promise<void>
}

type MetricsOptions = {
  readonly file: string | null
  readonly address: MetricsAddress | null
  /** Compute units per day, by host. */
  readonly unitsPerDay: Readonly<Record<string, number | null>>
}

const everyMs = 10_000

/** Throws ConfigError when the address cannot be used, for example because its port is taken. */
export async function keepMetrics({ file, address, unitsPerDay }: MetricsOptions): Promise<KeptMetrics> {
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
    end: async (exitCode) => {
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
