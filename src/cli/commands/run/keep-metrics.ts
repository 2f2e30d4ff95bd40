import { replaceFile } from '../../../lib/files/replace-file.ts'
import type { RunEvent } from '../../../run/job/events.ts'
import { createMetrics } from './metrics.ts'
import { type MetricsAddress, serveMetrics } from './serve-metrics.ts'

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
