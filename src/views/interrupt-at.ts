import type { DuckDBConnection } from '@duckdb/node-api'

/** A query hears an interrupt only while it runs: one that was about to begin goes on. */
const againMs = 50

/** Ends what runs on a connection when `stop` is aborted, until the returned function is called. */
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
