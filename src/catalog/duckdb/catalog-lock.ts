import { existsSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { CatalogError } from '../../errors.ts'
import { sqlText } from '../../lib/text/sql-quote.ts'
import { restoreHint } from '../session/restore-hint.ts'
import type { Session } from '../session/session.ts'
import { readCheckpoint } from './checkpoint.ts'
import { createSession } from './duckdb-session.ts'
import { heldAtStop, heldTooLong, isLockConflict, isReadOnly, storageFailure } from './failure.ts'
import { letOwnerWrite } from './read-only-copy.ts'
import { markSql, verifyWriteAhead, walBytes } from './write-ahead.ts'

export type Access = 'READ_ONLY' | 'READ_WRITE'

export type CatalogLockOptions = {
  readonly access: Access
  /** How long another holder is waited for, in milliseconds. */
  readonly waitMs: number
  /** Ends the waiting when it is aborted; a catalog that is free is opened all the same. */
  readonly stop?: AbortSignal | undefined
}

/** One core and little memory: the catalog is small and the run needs both elsewhere. */
const settings = {
  threads: '1',
  memory_limit: '256MB',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
}

/**
 * When its limit is set, DuckDB has the C library give back to the system what lies free in the whole process. Threads that
 * come and go and buffers of megabytes leave holes that it would keep (measured: up to 200 MiB); 15 ms after a commit close
 * them.
 */
const giveFreeMemoryBack = `SET memory_limit = '${settings.memory_limit}'`

/** A write-ahead file above this size is folded into the catalog when a hold ends; below, the next opening replays it. */
const checkpointBytes = 128 * 1024

/** What to do once the catalog is closed, even when the hold failed. */
export type AfterClose = (task: () => Promise<void>) => void

type Use<T> = (session: Session, afterClose: AfterClose) => Promise<T>

/** The last hold of each file in this process, ended or not. */
const queues = new Map<string, Promise<unknown>>()

/** By file: a DuckDB without a file, to which the catalog is attached for each hold; a new one costs 15 ms more. */
const engines = new Map<string, DuckDBInstance>()

/**
 * Opens the catalog, runs `use` and closes it again. Another process that holds it is waited for with growing pauses.
 * Holds of one file in one process come one after the other: the operating system's lock belongs to the process, and
 * closing a file a second time would free it. Never begin a hold inside a hold.
 *
 * @throws LockedError `catalog.locked` when the other process did not let go in time or before `stop`; StorageError;
 * CatalogError when it is unreadable.
 */
export function withCatalogLock<T>(file: string, options: CatalogLockOptions, use: Use<T>): Promise<T> {
  const turn = (queues.get(file) ?? Promise.resolve()).then(
    () => openLocked(file, options, use),
    () => openLocked(file, options, use),
  )
  queues.set(file, turn)
  turn.catch(() => undefined)
  return turn
}

/** The same for a file that is opened this once, such as a copy. */
export async function withCatalogLockOnce<T>(file: string, options: CatalogLockOptions, use: Use<T>): Promise<T> {
  try {
    return await withCatalogLock(file, options, use)
  } finally {
    engines.get(file)?.closeSync()
    engines.delete(file)
    queues.delete(file)
  }
}

async function openLocked<T>(file: string, options: CatalogLockOptions, use: Use<T>): Promise<T> {
  const tasks: (() => Promise<void>)[] = []
  try {
    const engine = await engineOf(file)
    const connection = await engine.connect()
    try {
      await attachWhenFree(connection, file, options)
      const afterClose: AfterClose = (task) => tasks.push(task)
      const session = createSession(connection, () => firstSql(file, afterClose))
      const result = await use(session, afterClose)
      // What is committed is durable already; a fold that fails (a full disk) is tried again after the next commit.
      if (options.access === 'READ_WRITE' && walBytes(file) > checkpointBytes)
        await connection.run('CHECKPOINT').catch(() => undefined)
      // What is done is done, though the file can only be let go by closing all of it.
      await detach(connection, options).catch(() => engines.delete(file))
      return result
    } catch (error) {
      // After a failure of the disk DuckDB trusts its own state no more; and closing it frees the file in any case.
      engines.delete(file)
      throw error
    } finally {
      connection.closeSync()
      if (!engines.has(file)) engine.closeSync()
    }
  } catch (error) {
    throw storageFailure(error, file)
  } finally {
    for (const task of tasks) await task()
  }
}

async function detach(connection: DuckDBConnection, { access }: CatalogLockOptions): Promise<void> {
  await connection.run('USE memory')
  await connection.run('DETACH lake')
  if (access === 'READ_WRITE') await connection.run(giveFreeMemoryBack)
}

async function engineOf(file: string): Promise<DuckDBInstance> {
  const known = engines.get(file)
  if (known !== undefined) return known
  const engine = await DuckDBInstance.create(':memory:', settings)
  const connection = await engine.connect()
  // Closing would fold the write-ahead file into the catalog each time: 50 ms where there are 50,000 files.
  await connection.run('PRAGMA disable_checkpoint_on_shutdown')
  connection.closeSync()
  engines.set(file, engine)
  return engine
}

/** What begins a write-ahead file. The catalog's handle stays open until DuckDB has closed the file, too: closing it frees the lock. */
async function firstSql(file: string, afterClose: AfterClose): Promise<string | null> {
  if (walBytes(file) > 0) return null
  const handle: FileHandle = await open(file, 'r')
  afterClose(() => handle.close())
  const checkpoint = readCheckpoint(handle.fd)
  return checkpoint === null ? null : markSql(checkpoint)
}

async function attachWhenFree(connection: DuckDBConnection, file: string, options: CatalogLockOptions): Promise<void> {
  const startedMs = performance.now()
  let pauseMs = 4
  for (;;) {
    refuseMissing(file)
    verifyWriteAhead(file)
    try {
      // Named type: DuckDB would take a file of SQLite for what it is, and look for its extension on the network.
      await connection.run(`ATTACH ${sqlText(file)} AS lake (TYPE duckdb, ${options.access})`)
      await connection.run('USE lake')
      return
    } catch (error) {
      if (isReadOnly(error) && options.access === 'READ_WRITE' && letOwnerWrite(file)) continue
      if (!isLockConflict(error)) throw error
      const waitedMs = performance.now() - startedMs
      if (waitedMs >= options.waitMs) throw heldTooLong(error, file, waitedMs)
      if (options.stop?.aborted) throw heldAtStop(error, file, waitedMs)
      const pause = Math.min(pauseMs * (0.5 + Math.random()), options.waitMs - waitedMs + 1)
      await new Promise((resolve) => setTimeout(resolve, pause))
      pauseMs = Math.min(pauseMs * 1.5, 40)
    }
  }
}

function refuseMissing(file: string): void {
  if (existsSync(file)) return
  throw new CatalogError('The catalog of the lake is gone.', {
    code: 'catalog.missing',
    details: { file },
    hint: `Somebody moved or removed it. ${restoreHint}`,
  })
}
