import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type DuckDBConnection,
  type DuckDBExtractedStatements,
  DuckDBInstance,
  type DuckDBResult,
} from '@duckdb/node-api'
import { ChainlakeError, ConfigError, StorageError } from '../errors.ts'
import { answerChunks } from '../lib/answer-chunks.ts'
import { openFolderStore } from '../store/folder-store.ts'
import { type Cell, cellOf } from './cell.ts'
import { fileFailure } from './file-failure.ts'
import { interruptAt } from './interrupt-at.ts'

export type QueryColumn = {
  readonly name: string
  /** As DuckDB writes it, such as `DECIMAL(20,0)`. */
  readonly type: string
}

export type QueryAnswer = {
  readonly columns: readonly QueryColumn[]
  /** Rows as they come, some thousands at a time; to be read once. */
  readonly chunks: AsyncIterable<readonly (readonly Cell[])[]>
}

/** An open `lake.duckdb`; it shows the snapshot that was published when it was opened, whatever is published after. */
export type LakeReader = {
  /**
   * Runs SQL and streams the answer of its last statement; the answer must be read before the next query. Throws
   * `ConfigError` with DuckDB's message when the query is wrong, `VerifyError` when a file of the lake is gone or damaged,
   * `StorageError` when one cannot be read.
   */
  query(sql: string): Promise<QueryAnswer>
  /** Ends the running query with an error. */
  interrupt(): void
  close(): void
}

type QueryOptions = {
  readonly confine?: Confine
  readonly stop?: AbortSignal | undefined
  readonly viewsFile?: string | undefined
}

type Confine = (connection: DuckDBConnection) => Promise<void>

/**
 * Opens the views of a lake for reading, times in UTC. `confine` may take rights from the connection; `viewsFile` is another file of such
 * views. Throws `ConfigError` when there are none.
 */
export async function openLake(
  lakeDir: string,
  confine: Confine = async () => undefined,
  viewsFile?: string,
): Promise<LakeReader> {
  const folder = resolve(lakeDir)
  const path = viewsFile ?? join(folder, 'lake.duckdb')
  if (!existsSync(path))
    throw new ConfigError('There are no views to query.', {
      code: 'query.no-lake',
      details: { file: path },
      hint: 'Export something with chainlake run, or write the views of an existing lake with chainlake views.',
    })
  const instance = await openReadOnly(path)
  const connection = await instance.connect()
  let interrupted = false
  const close = () => {
    connection.closeSync()
    instance.closeSync()
  }
  try {
    await connection.run("SET TimeZone = 'UTC'")
    await confine(connection)
  } catch (error) {
    close()
    throw error
  }
  return {
    query: async (sql) => {
      interrupted = false
      const { result, again } = await runStatements(connection, sql, folder)
      const types = result.columnTypes()
      const columns = result.columnNames().map((name, index) => ({ name, type: String(types[index]) }))
      return {
        columns,
        chunks: chunksOf(result, () => (interrupted ? Promise.reject(new Error(interruption)) : again()), folder),
      }
    },
    interrupt: () => {
      interrupted = true
      connection.interrupt()
    },
    close,
  }
}

/**
 * Runs one query on the views of a lake; closes them when the answer is read or given up. `stop` ends the query when it is
 * aborted, with the signal's reason. Errors as `LakeReader.query`.
 */
export async function queryLake(
  lakeDir: string,
  sql: string,
  { confine, stop, viewsFile }: QueryOptions = {},
): Promise<QueryAnswer> {
  stop?.throwIfAborted()
  const lake = await openLake(lakeDir, confine, viewsFile)
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

async function openReadOnly(path: string): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(path, { access_mode: 'READ_ONLY', autoinstall_known_extensions: 'false' })
  } catch (cause) {
    throw new StorageError('The views cannot be opened.', {
      code: 'storage.views',
      details: { file: path, reason: messageOf(cause) },
      hint: 'Write them anew with chainlake views.',
      cause,
    })
  }
}

type Running = {
  readonly result: DuckDBResult
  /** Fails as the query did on the way. */
  readonly again: () => Promise<unknown>
}

/** DuckDB's word for it. */
const interruption = 'INTERRUPT Error: Interrupted!'

async function runStatements(connection: DuckDBConnection, sql: string, lakeDir: string): Promise<Running> {
  try {
    const statements = await extractStatements(connection, sql)
    for (let index = 0; index < statements.count - 1; index++) {
      const statement = await statements.prepare(index)
      await statement.run()
      statement.destroySync()
    }
    const result = await (await statements.prepare(statements.count - 1)).stream()
    // Of several statements the earlier ones are not to be run twice.
    const again = async () => (statements.count === 1 ? connection.run(`EXPLAIN ANALYZE ${sql}`) : null)
    return { result, again }
  } catch (error) {
    throw queryError(error, lakeDir)
  }
}

/** DuckDB's binding has no words of its own for text without a statement. */
async function extractStatements(connection: DuckDBConnection, sql: string): Promise<DuckDBExtractedStatements> {
  try {
    return await connection.extractStatements(sql)
  } catch (cause) {
    if (messageOf(cause) !== 'Error in native callback') throw cause
    throw new ConfigError('The query is empty.', { code: 'query.empty', cause })
  }
}

async function* chunksOf(
  result: DuckDBResult,
  again: () => Promise<unknown>,
  lakeDir: string,
): AsyncGenerator<Cell[][]> {
  try {
    for await (const chunk of answerChunks(result, again)) yield chunk.getRows().map((row) => row.map(cellOf))
  } catch (error) {
    throw queryError(error, lakeDir)
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

function queryError(cause: unknown, lakeDir: string): ChainlakeError {
  if (cause instanceof ChainlakeError) return cause
  const message = messageOf(cause)
  const failure = cause instanceof Error ? fileFailure(openFolderStore(lakeDir), cause) : null
  if (failure !== null) return failure
  return new ConfigError(message, { code: 'query.failed', cause })
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
