import { type DuckDBConnection, type DuckDBDataChunk, DuckDBInstance, type DuckDBResult } from '@duckdb/node-api'
import { StorageError } from '../errors.ts'

type Settings = Readonly<Record<string, string>>

const usual = {
  threads: '1',
  autoinstall_known_extensions: 'false',
  // The system keeps what it has read of files. DuckDB would fill its memory with a copy of the lake.
  enable_external_file_cache: 'false',
}

/** Opens a database: a file, or one in memory. It takes one thread, and loads nothing from the network. */
export async function openDuckDb(path: string, settings: Settings = {}) {
  const instance = await DuckDBInstance.create(path, { ...usual, ...settings })
  const connection = await instance.connect().catch((error: unknown) => {
    instance.closeSync()
    throw error
  })
  const close = (): void => {
    try {
      connection.closeSync()
    } finally {
      instance.closeSync()
    }
  }
  return { instance, connection, close }
}

/** Opens a database for the time of `use`. */
export async function withDuckDb<T>(
  path: string,
  use: (connection: DuckDBConnection) => Promise<T>,
  settings?: Settings,
): Promise<T> {
  const { connection, close } = await openDuckDb(path, settings)
  try {
    return await use(connection)
  } finally {
    close()
  }
}

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

/** Yields the chunks of a query's answer as they arrive. Throws DuckDB's error when the query fails, even after the first chunks. */
export async function* queryChunks(connection: DuckDBConnection, sql: string): AsyncGenerator<DuckDBDataChunk> {
  yield* answerChunks(await connection.stream(sql), () => connection.run(`EXPLAIN ANALYZE ${sql}`))
}

/**
 * Yields the chunks of an answer as they arrive. When a query fails halfway, the DuckDB binding ends its answer without an error, as if it
 * were complete; only `isStreaming` becomes false. `again` then runs the query once more, without keeping rows, so that it fails with
 * DuckDB's own error.
 *
 * @throws the error of `again`; StorageError when the query did not fail again.
 */
export async function* answerChunks(
  result: DuckDBResult,
  again: () => Promise<unknown>,
): AsyncGenerator<DuckDBDataChunk> {
  const isStream = result.isStreaming
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) break
    yield chunk
  }
  if (!isStream || result.isStreaming) return
  await again()
  throw new StorageError('An answer of DuckDB ended early.', {
    code: 'storage.read',
    hint: 'Run one statement by itself to see why it failed. If memory ran out, select less at once.',
  })
}
