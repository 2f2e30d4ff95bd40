import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { Table } from '../../define/index.ts'
import { queryChunks } from '../../lib/answer-chunks.ts'
import { freeMemory } from '../../lib/free-memory.ts'
import { tableRows } from '../../lookup/table-rows.ts'

/** A row of a query result. BIGINT and DECIMAL values are strings of digits, because they may exceed 2^53. */
export type AnswerRow = Readonly<Record<string, any>>

/** An in-memory DuckDB that spills to a folder, which it creates when memory is short. */
export type Engine = {
  readonly rows: (sql: string) => Promise<AnswerRow[]>
  /** The columns of a query that returns texts, some thousand rows at a time, in the order of the query. */
  readonly texts: (sql: string) => AsyncIterable<readonly string[][]>
  /** Rows with the columns of the table, of a query that begins with FROM. Values have the types that writers of rows use. */
  readonly tableRows: (table: Table, from: string) => AsyncIterable<object[]>
  readonly close: () => Promise<void>
}

/** The memory limit of DuckDB. The whole process then stays well below 512 MiB. */
const memory = '192MB'

/** Freeing memory costs some milliseconds, so not every query does it. */
const freeEachMs = 1000

export async function openEngine(stop: AbortSignal, spill: string): Promise<Engine> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '2',
    memory_limit: memory,
    temp_directory: spill,
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  const interrupt = () => connection.interrupt()
  stop.addEventListener('abort', interrupt)
  let freedMs = performance.now()
  const freeWhenDue = async (): Promise<void> => {
    if (performance.now() - freedMs < freeEachMs) return
    await connection.run(freeMemory(memory))
    freedMs = performance.now()
  }
  const checked = async <T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> => {
    stop.throwIfAborted()
    try {
      await freeWhenDue()
      return await work(connection)
    } catch (error) {
      throw stop.aborted ? stop.reason : error
    }
  }
  return {
    rows: (sql) => checked(async (open) => (await open.runAndReadAll(sql)).getRowObjectsJson() as AnswerRow[]),
    async *texts(sql) {
      stop.throwIfAborted()
      try {
        await freeWhenDue()
        for await (const chunk of queryChunks(connection, sql))
          yield Array.from({ length: chunk.columnCount }, (_, column) => chunk.getColumnValues(column) as string[])
      } catch (error) {
        throw stop.aborted ? stop.reason : error
      }
    },
    async *tableRows(table, from) {
      await freeWhenDue()
      yield* tableRows(connection, table, from)
    },
    async close() {
      stop.removeEventListener('abort', interrupt)
      connection.closeSync()
      instance.closeSync()
    },
  }
}
