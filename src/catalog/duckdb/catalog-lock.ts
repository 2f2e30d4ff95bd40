import { createHash, randomUUID } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { CatalogError, ChainlakeError, LockedError, StorageError, UnknownVersionError } from '../../errors.ts'
import { openDuckDb } from '../../lib/duckdb.ts'
import { diskRefusal, isModeRefusal, isOfDuckDb, isOutOfInodes, setMode } from '../../lib/files.ts'
import { freeMemory } from '../../lib/memory.ts'
import { shellText, sqlText } from '../../lib/text.ts'
import { pause } from '../../lib/wait.ts'
import { restoreHint, type Session } from '../session.ts'
import { createSession } from './duckdb-session.ts'

/** A checkpoint of a DuckDB file: the state in its blocks, on which the write-ahead file builds. */
type Checkpoint = {
  /** Counts the checkpoints of the file. */
  readonly iteration: bigint
  /** Pointer to its list of tables, as DuckDB encodes it: the block number, with the index of the 64th of the block in the top byte. */
  readonly listAt: bigint
  /** Identifies the checkpoint. A diverged copy of the catalog may have another checkpoint with the same number. */
  readonly fingerprint: string
}

const headerAt = [4096, 8192]
const headerBytes = 4096
const blocksAt = 12_288
const noBlock = 2n ** 64n - 1n
const blockMask = 2n ** 56n - 1n
/** A longer list of tables is invalid. */
const maxChunks = 100_000

/**
 * Reads the current checkpoint of a DuckDB file without opening it as a database, which would replay the write-ahead file. Null if the file
 * is not a DuckDB file. `descriptor` refers to the open file. See storage/storage_info.hpp and metadata/metadata_manager.cpp of DuckDB.
 */
export function readCheckpoint(descriptor: number): Checkpoint | null {
  const start = bytesAt(descriptor, 0, blocksAt)
  if (start === null || start.toString('latin1', 8, 12) !== 'DUCK') return null
  const [first, second] = headerAt.map((at) => start.subarray(at, at + headerBytes)) as [Buffer, Buffer]
  const header = iterationOf(first) > iterationOf(second) ? first : second
  const listAt = header.readBigUInt64LE(16)
  const blockBytes = Number(header.readBigUInt64LE(40))
  const hash = createHash('sha256').update(header)
  // The list of tables contains the mark, which is unique for each checkpoint.
  for (const chunk of chunksOfList(descriptor, listAt, blockBytes)) {
    if (chunk === null) return null
    hash.update(chunk)
  }
  return { iteration: iterationOf(header), listAt, fingerprint: hash.digest('hex').slice(0, 32) }
}

function iterationOf(header: Buffer): bigint {
  return header.readBigUInt64LE(8)
}

/** The chunks of a list. DuckDB stores them in 64ths of blocks; each begins with the pointer to the next one. Yields null for a missing chunk. */
function* chunksOfList(descriptor: number, listAt: bigint, blockBytes: number): Generator<Buffer | null> {
  const chunkBytes = Math.floor((blockBytes - 8) / 64 / 8) * 8
  let block = { number: -1n, bytes: null as Buffer | null }
  let count = 0
  for (let at = listAt; at !== noBlock; ) {
    const number = at & blockMask
    if (block.number !== number)
      block = { number, bytes: bytesAt(descriptor, blocksAt + Number(number) * blockBytes, blockBytes) }
    const from = 8 + Number(at >> 56n) * chunkBytes
    const chunk = block.bytes?.subarray(from, from + chunkBytes)
    if (chunk === undefined || chunk.length < 8 || count++ > maxChunks) {
      yield null
      return
    }
    yield chunk
    at = chunk.readBigUInt64LE(0)
  }
}

/** Null if the file ends earlier. */
function bytesAt(descriptor: number, position: number, length: number): Buffer | null {
  if (!Number.isSafeInteger(position) || !(length > 0 && length <= 2 ** 24)) return null
  const bytes = Buffer.allocUnsafe(length)
  return readSync(descriptor, bytes, 0, length, position) === length ? bytes : null
}

/** Whether DuckDB refused to open a file because another process holds its lock. */
export function isLockConflict(error: unknown): boolean {
  return (
    error instanceof Error &&
    /Could not set lock on file|used by another process|already open in/i.test(error.message) &&
    !noLocks.test(error.message)
  )
}

/** Whether this user may not open a file. */
export function isPermissionDenied(error: unknown): boolean {
  return error instanceof Error && /Permission denied/i.test(error.message)
}

/** The process that holds the lock of a file, parsed from the error message of DuckDB. */
function lockHolder(error: unknown): { pid: number | null; command: string | null } {
  const text = error instanceof Error ? error.message : ''
  const match = /held in (.*?) \(PID (\d+)\)|open in\s+(.*?) \(PID (\d+)\)/s.exec(text)
  const pid = match?.[2] ?? match?.[4]
  if (pid === undefined) return { pid: null, command: null }
  return { pid: Number(pid), command: commandLine(Number(pid)) ?? match?.[1] ?? match?.[3] ?? null }
}

/** The command line of a process on Linux, else null. */
function commandLine(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim() || null
  } catch {
    return null
  }
}

/** The error for a lock that another process kept for too long, or until a signal ended the wait. */
export function heldTooLong(
  error: unknown,
  file: string,
  waitedMs: number,
  hint = 'Wait until that process ends, or end it.',
): LockedError {
  const { pid, command } = lockHolder(error)
  return new LockedError('Another process holds the catalog lock.', {
    details: { file, pid, command, 'waited for (s)': Math.round(waitedMs / 1000) },
    hint: `${hint} To query the lake, open lake.duckdb or lake.ducklake, never catalog.ducklake.`,
    cause: error,
  })
}

/** Whether DuckDB refused to open a file for writing because this user may only read it. */
function isReadOnly(error: unknown): boolean {
  return error instanceof Error && readOnlyPattern.test(error.message)
}

/**
 * Translates a failure at a file of the lake. A full or read-only disk is a `StorageError`, a file of a newer DuckDB is an
 * `UnknownVersionError`, and an unreadable file is a `CatalogError`. Errors of chainlake itself are returned unchanged.
 */
export function storageFailure(error: unknown, file: string, hasNoInodes = isOutOfInodes): unknown {
  if (!(error instanceof Error) || error instanceof ChainlakeError) return error
  const text = error.message
  const isDuckDb = isOfDuckDb(error)
  if (!isDuckDb && !('code' in error)) return error
  const details = { file, cause: text }
  const refusal = diskRefusal(error, file, hasNoInodes)
  if (refusal !== null) {
    const { problem, ...facts } = refusal
    return new StorageError(`${problem}.`, { ...facts, details, cause: error })
  }
  if (!isDuckDb)
    return new StorageError(`The file system refused: ${text}`, {
      details: { file },
      hint: 'Committed data is safe. Fix the problem and run again, or set --lake to another folder.',
      cause: error,
    })
  if (noLocks.test(text))
    return new StorageError('The file system of the lake has no locks.', {
      code: 'storage.locks',
      details,
      hint: 'Nothing was changed, and the catalog is not damaged. A lake needs a file system with locks (fcntl): mount it with them (NFS version 4, SMB without nobrl), or give --lake a folder on a local disk.',
      cause: error,
    })
  if (diskError.test(text))
    return new StorageError('The disk of the catalog gave an error.', {
      code: 'storage.eio',
      details,
      hint: 'The catalog was not damaged by this command, so do not restore a backup yet: it would lose what was observed since. Check the disk (dmesg, smartctl) and its connection, then run again. If the disk works and the catalog cannot be read, chainlake verify says so.',
      cause: error,
    })
  const version = /version number (\d+), but we can only read/.exec(text)
  if (version !== null)
    return new UnknownVersionError('The catalog was written by a newer DuckDB.', {
      details: { ...details, 'storage version': version[1] },
      hint: 'Nothing was changed. Use the version of chainlake that wrote the lake, or a newer one.',
      cause: error,
    })
  return new CatalogError('The catalog cannot be read.', {
    code: 'catalog.unreadable',
    details,
    hint: `Nothing was changed. ${restoreHint}`,
    cause: error,
  })
}

/** DuckDB's words for a file system that refuses every lock. */
const noLocks = /Could not set lock on file .*(?:No locks available|Function not implemented|not supported)/is

/** DuckDB's words for a disk that fails. After a failed fsync it refuses everything else until the process ends. */
const diskError = /Input\/output error|fsync failed|Could not fsync|invalidated because of a previous fatal error/i

const readOnlyPattern = /Read-only file system|Permission denied|read-only mode/i

/**
 * Makes a catalog writable that was copied from `lake.ducklake`, which is read-only. False if this is not the reason why the user cannot
 * write. If the folder is read-only, the whole lake is meant to be read-only, and nothing is changed.
 *
 * @throws StorageError when only another user may change the file.
 */
function letOwnerWrite(file: string): boolean {
  const { mode, uid } = statSync(file)
  if ((mode & 0o200) !== 0 || !mayWrite(dirname(file))) return false
  if (process.geteuid?.() !== uid)
    throw new StorageError('The catalog of the lake is read-only: it is a copy of lake.ducklake.', {
      code: 'storage.read-only',
      details: { file, 'owner (user id)': uid, 'this user (user id)': process.geteuid?.() },
      hint: `Let its owner run chmod u+w ${shellText(file)}. Or run chainlake restore ${shellText(join(dirname(file), 'lake.ducklake'))}, which makes this user the owner.`,
    })
  try {
    chmodSync(file, (mode & 0o777) | 0o200)
    return true
  } catch (error) {
    if (isModeRefusal(error)) return false
    throw error
  }
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return (statSync(folder).mode & 0o200) !== 0
  } catch {
    return false
  }
}

/**
 * DuckDB replays any write-ahead file next to the catalog. If the catalog has another state, rows are silently lost or duplicated.
 * Therefore the first transaction of each write-ahead file records, as the comment of a table, the checkpoint that it follows.
 */
const markPattern = /chainlake: follows checkpoint (\d+) ([0-9a-f]{32})/
const markedTable = 'chainlake.version'

/** Bytes to read from the start of a write-ahead file. They include the mark, which is among the first entries. */
const beginningBytes = 4096
const versionBytes = 8
/** Entry types of DuckDB: the start of a checkpoint, and the end of a transaction. */
const checkpointEntry = 99
const flushEntry = 100

export function walFile(file: string): string {
  return `${file}.wal`
}

export function walBytes(file: string): number {
  return statSync(walFile(file), { throwIfNoEntry: false })?.size ?? 0
}

/** SQL that marks a new write-ahead file and the checkpoint that is made from it. */
export function markSql(checkpoint: Checkpoint | null): string {
  const follows = checkpoint === null ? '' : `follows checkpoint ${checkpoint.iteration} ${checkpoint.fingerprint} `
  return `COMMENT ON TABLE ${markedTable} IS 'chainlake: ${follows}${randomUUID()}'`
}

/**
 * Refuses a write-ahead file that does not belong to the catalog next to it. A file without a mark is left to DuckDB, and so is a file with
 * a checkpoint that was made just before a crash. Call it while this process does not hold the catalog lock, because closing a file frees
 * the lock. It reads only a few blocks for each opening, so it reads synchronously.
 *
 * @throws CatalogError `catalog.generation`.
 */
export function verifyWriteAhead(file: string): void {
  if (walBytes(file) === 0) return
  let same = 0
  let last = ''
  // Another process may make a checkpoint meanwhile. The two reads are inconsistent then, and the next attempt reads something else.
  for (let attempt = 0; attempt < 1000; attempt++) {
    const checkpoint = withFile(file, readCheckpoint)
    const refused = withFile(walFile(file), (wal) => refusal(checkpoint, wal))
    if (checkpoint === null || refused === null) return
    same = checkpoint.fingerprint === last ? same + 1 : 0
    last = checkpoint.fingerprint
    if (same > 3) throw otherGeneration(file, checkpoint, refused)
  }
}

type Mark = Pick<Checkpoint, 'iteration' | 'fingerprint'>

/** The mark of a write-ahead file that follows another checkpoint; null if the file belongs to the catalog or has no mark. */
function refusal(checkpoint: Checkpoint | null, wal: number): Mark | null {
  const bytes = Buffer.allocUnsafe(beginningBytes)
  const found = markPattern.exec(bytes.toString('latin1', 0, readSync(wal, bytes, 0, beginningBytes, 0)))
  const mark = found === null ? null : { iteration: BigInt(found[1] ?? 0), fingerprint: found[2] ?? '' }
  if (checkpoint === null || mark === null || mark.fingerprint === checkpoint.fingerprint) return null
  const isMadeOfIt = mark.iteration + 1n === checkpoint.iteration && lastCheckpoint(wal) === checkpoint.listAt
  return isMadeOfIt ? null : mark
}

/**
 * Pointer to the list of tables of the checkpoint at the end of a write-ahead file; null if the file ends with a transaction. The file is a
 * version followed by entries: length, checksum, bytes. Only the end of its transaction follows the entry of a checkpoint.
 */
function lastCheckpoint(wal: number): bigint | null {
  const head = Buffer.alloc(48)
  let found: bigint | null = null
  for (let position = versionBytes; ; ) {
    const bytesRead = readSync(wal, head, 0, head.length, position)
    if (bytesRead < 19) return found
    const kind = head.readUInt16LE(16) === 100 ? head[18] : undefined
    if (kind === checkpointEntry) found = pointerIn(head.subarray(19, bytesRead))
    else if (kind !== flushEntry) found = null
    position += 16 + Number(head.readBigUInt64LE(0))
  }
}

/** The pointer in the entry of a checkpoint. Field 101 is an object; its field 100 is omitted if the pointer is 0. */
function pointerIn(bytes: Buffer): bigint | null {
  if (bytes.length < 6 || bytes.readUInt16LE(0) !== 101) return null
  if (bytes.readUInt16LE(2) !== 100) return 0n
  let pointer = 0n
  for (let at = 4, shift = 0n; at < bytes.length; at++, shift += 7n) {
    const byte = bytes[at] ?? 0
    pointer |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return pointer
  }
  return null
}

/** Null if the file is missing or unreadable; DuckDB reports this later. */
function withFile<T>(path: string, use: (descriptor: number) => T): T | null {
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch {
    return null
  }
  try {
    return use(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function otherGeneration(file: string, checkpoint: Checkpoint, wal: Mark): CatalogError {
  const catalogIsOlder = checkpoint.iteration <= wal.iteration
  const wrong = catalogIsOlder ? 'the catalog is older' : 'the write-ahead file is older'
  return new CatalogError(`The catalog and its write-ahead file have different states: ${wrong}.`, {
    code: 'catalog.generation',
    details: {
      file,
      'write-ahead file': walFile(file),
      'state of the catalog': checkpoint.iteration,
      'state that the write-ahead file follows': wal.iteration,
    },
    hint: 'Nothing was changed. Restore the catalog from a backup or a catalog file with chainlake restore; do not copy its files by hand. To keep this catalog as it is, move the write-ahead file away: the next run fetches again what only that file contained.',
  })
}

export type Access = 'READ_ONLY' | 'READ_WRITE'

type CatalogLockOptions = {
  readonly access: Access
  /** How long to wait for another process that holds the lock, in milliseconds. */
  readonly waitMs: number
  /** Ends the wait when it is aborted. A free catalog is still opened. */
  readonly stop?: AbortSignal | undefined
}

/** One thread and little memory: the catalog is small, and the run needs both elsewhere. */
const settings = { memory_limit: '256MB', autoload_known_extensions: 'false' }

/** Above this size in bytes, the write-ahead file is folded into the catalog before it is closed. Otherwise the next opening replays it. */
const checkpointBytes = 128 * 1024

/** Registers a task that runs after the catalog is closed, even after a failure. */
type AfterClose = (task: () => Promise<void>) => void

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
  const { instance: engine, connection } = await openDuckDb(':memory:', settings)
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
  const again = 'Run again when that process has ended: the run fetches again what was not committed.'
  if (stop?.aborted) throw heldTooLong(conflict, file, waitedMs, again)
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

/**
 * Copies a file that DuckDB has open to a new file and syncs the copy. The source handle stays open until DuckDB has closed the file: the
 * lock belongs to the process, and closing any handle frees it.
 */
export async function copyHeld(from: string, to: string, mode: number, afterClose: AfterClose): Promise<void> {
  const source = await open(from, 'r')
  afterClose(() => source.close())
  const target = await open(to, 'wx', mode)
  try {
    const buffer = Buffer.allocUnsafe(4 * 1024 * 1024)
    for (let position = 0; ; ) {
      const { bytesRead } = await source.read(buffer, 0, buffer.length, position)
      if (bytesRead === 0) break
      await target.writeFile(buffer.subarray(0, bytesRead))
      position += bytesRead
    }
    await setMode(target, mode)
    await target.sync()
  } finally {
    await target.close()
  }
}
