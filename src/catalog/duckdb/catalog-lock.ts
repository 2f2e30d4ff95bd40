import { existsSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { CatalogError } from '../../errors.ts'
import { freeMemory } from '../../lib/free-memory.ts'
import { pause } from '../../lib/pause.ts'
import { sqlText } from '../../lib/text/sql-quote.ts'
import { restoreHint } from '../session/restore-hint.ts'
import type { Session } from '../session/session.ts'
import { readCheckpoint } from './checkpoint.ts'
import { createSession } from './duckdb-session.ts'
import { heldAtStop, heldTooLong, isLockConflict, isReadOnly, storageFailure } from './failure.ts'
import { letOwnerWrite } from './read-only-copy.ts'
import { markSql, verifyWriteAhead, walBytes } from './write-ahead.ts'

export type Access = 'READ_ONLY' | 'READ_WRITE'

type CatalogLockOptions = {
  readonly access: Access
  /** How long to wait for another process that holds the lock, in milliseconds. */
  readonly waitMs: number
  /** Ends the wait when it is aborted. A free catalog is still opened. */
  readonly stop?: AbortSignal | undefined
}

/** One thread and little memory: the catalog is small, and the run needs both elsewhere. */
const settings = {
  threads: '1',
  memory_limit: '256MB',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
}

/** Above this size in bytes, the write-ahead file is folded into the catalog before it is closed. Otherwise the next opening replays it. */
const checkpointBytes = 128 * 1024

/** Registers a task that runs after the catalog is closed, even after a failure. */
export type AfterClose = (task: () => Promise<void>) => void

type Use<T> = (session: Session, afterClose: AfterClose) => Promise<T>

/** By file: the last use of it in this process, finished or not. */
const queues = new Map<string, Promise<unknown>>()

/** By file: a DuckDB in memory, which attaches the catalog for each use. A new DuckDB costs 15 ms more. */
const engines = new Map<string, DuckDBInstance>()

/**
 * Opens the catalog, runs `use` and closes it again. If another process holds the lock, it retries with growing pauses. Uses of one file in
 * one process run one after another: the lock belongs to the process, and closing a second handle of the file would free it. Never nest
 * calls for the same file.
 *
 * @throws LockedError `catalog.locked` when the other process keeps the lock for `waitMs` or until `stop`; StorageError; CatalogError when
 * the catalog is unreadable.
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

/** Like `withCatalogLock`, for a file that this process opens only once, such as a copy. */
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
      // Committed data is already durable. If the checkpoint fails (a full disk), the next commit retries it.
      if (options.access === 'READ_WRITE' && walBytes(file) > checkpointBytes)
        await connection.run('CHECKPOINT').catch(() => undefined)
      // The work is done. If detaching fails, closing the engine frees the file.
      await detach(connection, options).catch(() => engines.delete(file))
      return result
    } catch (error) {
      // After a disk failure DuckDB refuses further work. Closing the engine frees the file in any case.
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
  if (access === 'READ_WRITE') await connection.run(freeMemory(settings.memory_limit))
}

async function engineOf(file: string): Promise<DuckDBInstance> {
  const known = engines.get(file)
  if (known !== undefined) return known
  const engine = await DuckDBInstance.create(':memory:', settings)
  const connection = await engine.connect()
  // Otherwise each close would fold the write-ahead file into the catalog, which takes 50 ms with 50,000 files.
  await connection.run('PRAGMA disable_checkpoint_on_shutdown')
  connection.closeSync()
  engines.set(file, engine)
  return engine
}

/**
 * The statement that marks a new write-ahead file; null if the file exists. The handle stays open until DuckDB has closed the catalog,
 * because closing any handle frees the lock.
 */
async function firstSql(file: string, afterClose: AfterClose): Promise<string | null> {
  if (walBytes(file) > 0) return null
  const handle: FileHandle = await open(file, 'r')
  afterClose(() => handle.close())
  const checkpoint = readCheckpoint(handle.fd)
  return checkpoint === null ? null : markSql(checkpoint)
}

async function attachWhenFree(connection: DuckDBConnection, file: string, options: CatalogLockOptions): Promise<void> {
  const startedMs = performance.now()
  for (let pauseMs = 4; ; ) {
    const refused = await tryAttach(connection, file, options.access)
    if (refused === null) return
    if (isReadOnly(refused) && options.access === 'READ_WRITE' && letOwnerWrite(file)) continue
    if (!isLockConflict(refused)) throw refused
    await waitForLock(refused, file, options, { waitedMs: performance.now() - startedMs, pauseMs })
    pauseMs = Math.min(pauseMs * 1.5, 40)
  }
}

/** Attaches the catalog. Returns the error of DuckDB if it refused, else null. */
async function tryAttach(connection: DuckDBConnection, file: string, access: Access): Promise<unknown> {
  refuseMissing(file)
  verifyWriteAhead(file)
  try {
    // Without the type, DuckDB would detect an SQLite file and look for its extension on the network.
    await connection.run(`ATTACH ${sqlText(file)} AS lake (TYPE duckdb, ${access})`)
    await connection.run('USE lake')
    return null
  } catch (error) {
    return error
  }
}

async function waitForLock(
  conflict: unknown,
  file: string,
  { waitMs, stop }: CatalogLockOptions,
  { waitedMs, pauseMs }: { readonly waitedMs: number; readonly pauseMs: number },
): Promise<void> {
  if (waitedMs >= waitMs) throw heldTooLong(conflict, file, waitedMs)
  if (stop?.aborted) throw heldAtStop(conflict, file, waitedMs)
  await pause(Math.min(pauseMs * (0.5 + Math.random()), waitMs - waitedMs + 1))
}

function refuseMissing(file: string): void {
  if (existsSync(file)) return
  throw new CatalogError('The catalog of the lake is missing.', {
    code: 'catalog.missing',
    details: { file },
    hint: `Another program has moved or removed it. ${restoreHint}`,
  })
}
