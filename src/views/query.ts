import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { DuckDBConnection, DuckDBExtractedStatements, DuckDBResult } from '@duckdb/node-api'
import { ChainlakeError, ConfigError } from '../errors.ts'
import { answerChunks } from '../lib/answer-chunks.ts'
import { openFolderStore } from '../store/folder-store.ts'
import type { Held, Store } from '../store/store.ts'
import { type Cell, cellOf } from './cell.ts'
import { fileFailure } from './file-failure.ts'
import { interruptAt } from './interrupt-at.ts'
import { boundMemory, queryMemory } from './memory-bound.ts'
import { openViews, refuseOtherPlace } from './open-views.ts'
import { type QueryHints, queryHints } from './query-hints.ts'
import { writeParquet } from './write-parquet.ts'

export type QueryColumn = {
  readonly name: string
  /** As DuckDB writes it, such as `DECIMAL(20,0)`. */
  readonly type: string
}

export type QueryAnswer = {
  readonly columns: readonly QueryColumn[]
  /** Rows as they arrive, some thousands at a time. They can be read once. */
  readonly chunks: AsyncIterable<readonly (readonly Cell[])[]>
}

/** An open `lake.duckdb`. It shows the snapshot that was published when it was opened, whatever a run publishes later. */
export type LakeReader = {
  /**
   * Runs SQL and streams the answer of its last statement. The caller must read the answer before the next query. Throws `ConfigError` with
   * DuckDB's message when the query is wrong, `VerifyError` when a file of the lake is missing or damaged, and `StorageError` when a file
   * cannot be read.
   */
  query(sql: string): Promise<QueryAnswer>
  /**
   * Writes the answer of one statement to a Parquet file with exact types. Throws the errors of `query`, and `ConfigError` for numbers of 128
   * bits within lists and structs, which DuckDB would round.
   */
  writeParquet(sql: string, path: string): Promise<void>
  /** What makes one statement find nothing without an error; see `queryHints`. */
  hints(statement: string): Promise<QueryHints>
  /** Ends the running query with an error. */
  interrupt(): void
  close(): void
}

/** Views over files that are downloaded for each query. */
export type RemoteViews = {
  /** A separate file of views, over which `prepare` creates others. */
  readonly viewsFile: string
  /** The folder from which DuckDB reads the downloaded files. */
  readonly folder: string
  readonly store: Store
  /** Creates the views that a query reads, and holds their files until the caller releases them. */
  readonly prepare: (connection: DuckDBConnection, sql: string) => Promise<Held>
  readonly close: () => Promise<void>
}

export type Source = {
  /** A file of views to open instead of `lake.duckdb`. */
  readonly viewsFile?: string | undefined
  /** Closed together with the reader that uses it. */
  readonly remote?: RemoteViews | undefined
  /** Refuses damaged files that a query reads, before the query runs. */
  readonly verifyFiles?: ((connection: DuckDBConnection, sql: string) => Promise<void>) | undefined
}

type QueryOptions = Source & {
  readonly confine?: Confine
  readonly stop?: AbortSignal | undefined
}

type Confine = (connection: DuckDBConnection) => Promise<void>

/**
 * Opens the views of a lake for reading, with times in UTC and within limited memory. `confine` may take rights from the connection. Throws
 * `ConfigError` when there are no views.
 */
export async function openLake(
  lakeDir: string,
  confine: Confine = async () => undefined,
  { viewsFile, remote, verifyFiles }: Source = {},
): Promise<LakeReader> {
  const folder = resolve(lakeDir)
  const store = remote?.store ?? openFolderStore(folder)
  const path = remote?.viewsFile ?? viewsFile ?? join(folder, 'lake.duckdb')
  if (!existsSync(path))
    throw new ConfigError('There are no views to query.', {
      code: 'query.no-lake',
      details: { file: path },
      hint: 'Export data with chainlake run, or write the views of an existing lake with chainlake views.',
    })
  const instance = await openViews(path, remote === undefined ? 'READ_ONLY' : 'READ_WRITE')
  const connection = await instance.connect()
  let interrupted = false
  let removeSpilled = (): void => undefined
  const close = () => {
    connection.closeSync()
    instance.closeSync()
    removeSpilled()
    void remote?.close()
  }
  try {
    await connection.run("SET TimeZone = 'UTC'")
    removeSpilled = await boundMemory(connection)
    if (remote === undefined) await refuseOtherPlace(connection, folder)
    await confine(connection)
  } catch (error) {
    close()
    throw error
  }
  return {
    query: async (sql) => {
      interrupted = false
      const held = await remote?.prepare(connection, sql)
      const run = async (): Promise<Running> => {
        await verifyFiles?.(connection, sql)
        return runStatements(connection, sql, store)
      }
      const { result, again } = await run().catch(async (error: unknown) => {
        await held?.release()
        throw error
      })
      const types = result.columnTypes()
      const columns = result.columnNames().map((name, index) => ({ name, type: String(types[index]) }))
      return {
        columns,
        chunks: releasing(
          chunksOf(result, () => (interrupted ? Promise.reject(new Error(interruption)) : again()), store),
          held,
        ),
      }
    },
    writeParquet: async (sql, path) => {
      const held = await remote?.prepare(connection, sql)
      try {
        await verifyFiles?.(connection, sql)
        await writeParquet(connection, sql, path)
      } catch (error) {
        throw queryError(error, store)
      } finally {
        await held?.release()
      }
    },
    hints: (statement) => queryHints(instance, statement),
    interrupt: () => {
      interrupted = true
      connection.interrupt()
    },
    close,
  }
}

/**
 * Runs one query on the views of a lake. Closes them when the caller has read the answer or given it up. `stop` ends the query when it is
 * aborted, with the signal's reason. Throws the errors of `LakeReader.query`.
 */
export async function queryLake(
  lakeDir: string,
  sql: string,
  { confine, stop, ...source }: QueryOptions = {},
): Promise<QueryAnswer> {
  stop?.throwIfAborted()
  const lake = await openLake(lakeDir, confine, source)
  const release = interruptAt(stop, lake)
  const close = () => {
    release()
    lake.close()
  }
  try {
    const { columns, chunks } = await lake.query(sql)
    return { columns, chunks: closingAfter(chunks, close, stop) }
  } catch (error) {
    close()
    throw stop?.aborted ? stop.reason : error
  }
}

type Running = {
  readonly result: DuckDBResult
  /** Runs the query again to get the error with which it failed halfway. */
  readonly again: () => Promise<unknown>
}

/** DuckDB's message for an interrupted query. */
const interruption = 'INTERRUPT Error: Interrupted!'

async function runStatements(connection: DuckDBConnection, sql: string, store: Store): Promise<Running> {
  try {
    const statements = await extractStatements(connection, sql)
    for (let index = 0; index < statements.count - 1; index++) {
      const statement = await statements.prepare(index)
      await statement.run()
      statement.destroySync()
    }
    const result = await (await statements.prepare(statements.count - 1)).stream()
    // With several statements, the earlier ones must not run twice.
    const again = async () => (statements.count === 1 ? connection.run(`EXPLAIN ANALYZE ${sql}`) : null)
    return { result, again }
  } catch (error) {
    throw queryError(error, store)
  }
}

/** DuckDB's binding has no error message for text without a statement. */
async function extractStatements(connection: DuckDBConnection, sql: string): Promise<DuckDBExtractedStatements> {
  try {
    return await connection.extractStatements(sql)
  } catch (cause) {
    if (messageOf(cause) !== 'Error in native callback') throw cause
    throw new ConfigError('The query is empty.', { code: 'query.empty', cause })
  }
}

async function* chunksOf(result: DuckDBResult, again: () => Promise<unknown>, store: Store): AsyncGenerator<Cell[][]> {
  try {
    for await (const chunk of answerChunks(result, again)) yield chunk.getRows().map((row) => row.map(cellOf))
  } catch (error) {
    throw queryError(error, store)
  }
}

async function* releasing<T>(chunks: AsyncIterable<T>, held: Held | undefined): AsyncGenerator<T> {
  try {
    yield* chunks
  } finally {
    await held?.release()
  }
}

async function* closingAfter<T>(
  chunks: AsyncIterable<T>,
  close: () => void,
  stop: AbortSignal | undefined,
): AsyncGenerator<T> {
  try {
    yield* chunks
  } catch (error) {
    throw stop?.aborted ? stop.reason : error
  } finally {
    close()
  }
}

function queryError(cause: unknown, store: Store): ChainlakeError {
  if (cause instanceof ChainlakeError) return cause
  const message = messageOf(cause)
  const failure = cause instanceof Error ? fileFailure(store, cause) : null
  if (failure !== null) return failure
  const hint = message.startsWith('Out of Memory') ? { hint: memoryHint } : {}
  return new ConfigError(message, { code: 'query.failed', ...hint, cause })
}

const memoryHint = `A query may use ${queryMemory.memory} of memory; most data that does not fit is spilled to disk. Raise the limit in the same query: SET memory_limit = '4GB'; SELECT …`

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
