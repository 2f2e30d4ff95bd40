import { existsSync, statSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { CatalogError } from '../errors.ts'
import { heldTooLong, isLockConflict, storageFailure } from './failure.ts'
import { createSession, type Session } from './session.ts'

export type Access = 'READ_ONLY' | 'READ_WRITE'

export type HoldOptions = {
  readonly access: Access
  /** How long another holder is waited for, in milliseconds. */
  readonly waitMs: number
}

/** One core and little memory: the catalog is small and the run needs both elsewhere. */
const settings = {
  threads: '1',
  memory_limit: '256MB',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
}

/** A write-ahead file above this size is folded into the catalog when a hold ends; below, the next opening replays it. */
const checkpointBytes = 128 * 1024

/** What to do once the catalog is closed, even when the hold failed. */
export type AfterClose = (task: () => Promise<void>) => void

type Use<T> = (session: Session, afterClose: AfterClose) => Promise<T>

/** The last hold of each file in this process, ended or not. */
const queues = new Map<string, Promise<unknown>>()

/**
 * Opens the catalog, runs `use` and closes it again. Another process that holds it is waited for with growing pauses.
 * Holds of one file in one process come one after the other: the operating system's lock belongs to the process, and
 * closing a file a second time would free it. Never begin a hold inside a hold.
 *
 * @throws LockedError when the other process did not let go in time; StorageError; CatalogError when it is unreadable.
 */
export function hold<T>(file: string, options: HoldOptions, use: Use<T>): Promise<T> {
  const turn = (queues.get(file) ?? Promise.resolve()).then(
    () => holdNow(file, options, use),
    () => holdNow(file, options, use),
  )
  queues.set(file, turn)
  turn.catch(() => undefined)
  return turn
}

async function holdNow<T>(file: string, options: HoldOptions, use: Use<T>): Promise<T> {
  const tasks: (() => Promise<void>)[] = []
  try {
    const instance = await openWhenFree(file, options)
    try {
      const connection = await instance.connect()
      try {
        if (options.access === 'READ_WRITE') await connection.run('PRAGMA disable_checkpoint_on_shutdown')
        const result = await use(createSession(connection), (task) => tasks.push(task))
        // What is committed is durable already; a fold that fails (a full disk) is tried again after the next commit.
        if (options.access === 'READ_WRITE' && walBytes(file) > checkpointBytes)
          await connection.run('CHECKPOINT').catch(() => undefined)
        return result
      } finally {
        connection.closeSync()
      }
    } finally {
      instance.closeSync()
      for (const task of tasks) await task()
    }
  } catch (error) {
    throw storageFailure(error, file)
  }
}

function refuseMissing(file: string): void {
  if (existsSync(file)) return
  throw new CatalogError('The catalog of the lake is gone.', {
    code: 'catalog.missing',
    details: { file },
    hint: 'Somebody moved or removed it; restore it, or begin a new lake in an empty folder.',
  })
}

async function openWhenFree(file: string, options: HoldOptions): Promise<DuckDBInstance> {
  const startedMs = performance.now()
  let pauseMs = 4
  for (;;) {
    refuseMissing(file)
    try {
      return await DuckDBInstance.create(file, { ...settings, access_mode: options.access })
    } catch (error) {
      if (!isLockConflict(error)) throw error
      const waitedMs = performance.now() - startedMs
      if (waitedMs >= options.waitMs) throw heldTooLong(error, file, waitedMs)
      const pause = Math.min(pauseMs * (0.5 + Math.random()), options.waitMs - waitedMs + 1)
      await new Promise((resolve) => setTimeout(resolve, pause))
      pauseMs = Math.min(pauseMs * 1.5, 150)
    }
  }
}

function walBytes(file: string): number {
  const wal = `${file}.wal`
  return existsSync(wal) ? statSync(wal).size : 0
}
