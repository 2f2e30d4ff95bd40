import { createServer, type Server } from 'node:http'
import { ConfigError } from '../../../errors.ts'
import { replaceFile } from '../../../lib/files/replace-file.ts'
import type { RunEvent } from '../../../run/job/events.ts'
import { createMetrics, type Metrics } from './metrics.ts'

/** Metrics in a file, on a port, or both. */
export type KeptMetrics = {
  readonly onEvent: (event: RunEvent) => void
  /** Writes the metrics a last time, with the exit code of the command. */
  readonly end: (exitCode: number) => Promise<void>
}

export type MetricsOptions = {
  readonly file: string | null
  readonly port: number | null
  /** Compute units per day, by host. */
  readonly unitsPerDay: Readonly<Record<string, number | null>>
}

const everyMs = 10_000

/** Throws ConfigError when the port is taken. */
export async function keepMetrics({ file, port, unitsPerDay }: MetricsOptions): Promise<KeptMetrics> {
  const metrics = createMetrics()
  metrics.set('chainlake_up', 1)
  for (const [host, units] of Object.entries(unitsPerDay))
    if (units !== null) metrics.set('chainlake_budget_units', units, { host })
  const server = port === null ? null : await serve(metrics, port)
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

/** Serves the metrics on loopback only. */
async function serve(metrics: Metrics, port: number): Promise<Server> {
  const server = createServer(({ url, method }, response) => {
    const found = (method === 'GET' || method === 'HEAD') && url?.split('?')[0] === '/metrics'
    const type = 'application/openmetrics-text; version=1.0.0; charset=utf-8'
    response.writeHead(found ? 200 : 404, { 'content-type': found ? type : 'text/plain' })
    response.end(found && method === 'GET' ? metrics.text() : '')
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  }).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`Metrics cannot be served on port ${port}.`, {
      code: 'config.metrics-port',
      details: { reason: error.code ?? error.message },
      hint: 'Give --metrics-port another port.',
    })
  })
  server.unref()
  return server
}
