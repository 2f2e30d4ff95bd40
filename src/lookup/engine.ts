import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { temporaryName } from '../lib/files/temporary-name.ts'
import type { Store } from '../store/store.ts'
import { lookupFailure } from './failure.ts'

/** An in-memory DuckDB that spills to its own folder in the lake. */
export type Engine = {
  /** Calls `use`, which reads these files, with a connection. Temporary tables end with the connection. */
  within<T>(files: readonly string[], use: (connection: DuckDBConnection) => Promise<T>): Promise<T>
  /** Like `within`, for a stream of results. */
  stream<T>(files: readonly string[], use: (connection: DuckDBConnection) => AsyncIterable<T>): AsyncIterable<T>
  close(): Promise<void>
}

type EngineOptions = {
  readonly lakeDir: string
  readonly store: Store
  readonly owner: string
  /** Memory limit of DuckDB; default 64 MB. */
  readonly memory?: string
}

/** DuckDB creates the folder when it needs more memory. `close` removes it; after a crash of the owner, the next run removes it. */
export function createEngine({ lakeDir, store, owner, memory = '64MB' }: EngineOptions): Engine {
  const folder = join(lakeDir, temporaryName('lookup', owner))
  let opened: Promise<DuckDBInstance> | undefined
  const open = (): Promise<DuckDBInstance> => {
    opened ??= start(folder, memory)
    return opened
  }
  return {
    async within(files, use) {
      const held = await store.readable(files)
      const connection = await (await open()).connect()
      try {
        return await use(connection)
      } catch (error) {
        throw await lookupFailure(error, { lakeDir, store, files })
      } finally {
        connection.closeSync()
        await held.release()
      }
    },
    async *stream(files, use) {
      const held = await store.readable(files)
      const connection = await (await open()).connect()
      try {
        yield* use(connection)
      } catch (error) {
        throw await lookupFailure(error, { lakeDir, store, files })
      } finally {
        connection.closeSync()
        await held.release()
      }
    },
    async close() {
      const instance = await opened
      opened = undefined
      instance?.closeSync()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function start(folder: string, memory: string): Promise<DuckDBInstance> {
  return DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: memory,
    temp_directory: folder,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
}
