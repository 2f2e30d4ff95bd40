import type { DuckDBConnection } from '@duckdb/node-api'

/**
 * Milliseconds between two interrupts. DuckDB notices an interrupt only while a query runs: a query that was about to begin would continue.
 */
const againMs = 50

/** Interrupts the queries of a connection when `stop` is aborted, until the caller calls the returned function. */
export function interruptAt(
  stop: AbortSignal | undefined,
  connection: Pick<DuckDBConnection, 'interrupt'>,
): () => void {
  let again: NodeJS.Timeout | undefined
  const begin = (): void => {
    connection.interrupt()
    again = setInterval(() => connection.interrupt(), againMs)
  }
  if (stop?.aborted) begin()
  stop?.addEventListener('abort', begin, { once: true })
  return () => {
    stop?.removeEventListener('abort', begin)
    clearInterval(again)
  }
}
