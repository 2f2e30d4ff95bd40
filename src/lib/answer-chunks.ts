import type { DuckDBConnection, DuckDBDataChunk, DuckDBResult } from '@duckdb/node-api'
import { StorageError } from '../errors.ts'

/** Chunks of the answer to a query as they come, to its end. Throws what DuckDB says when it fails, also on the way. */
export async function* queryChunks(connection: DuckDBConnection, sql: string): AsyncGenerator<DuckDBDataChunk> {
  yield* answerChunks(await connection.stream(sql), () => connection.run(`EXPLAIN ANALYZE ${sql}`))
}

/**
 * Chunks of an answer as they come, to its end. `again` runs the query once more and keeps no rows of it, so that it fails in DuckDB's words:
 * the binding ends an answer that fails on the way as if it were whole, without any, and only calls it no stream any more.
 *
 * @throws what `again` throws; StorageError when the query did not fail again.
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
  throw new StorageError('An answer of DuckDB ended before its end.', {
    code: 'storage.read',
    hint: 'A statement by itself says why; where memory ran out, ask for less at once.',
  })
}
