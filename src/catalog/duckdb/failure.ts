import { readFileSync } from 'node:fs'
import { CatalogError, ChainlakeError, LockedError, StorageError, UnknownVersionError } from '../../errors.ts'
import { diskRefusal, isOfDuckDb } from '../../lib/files/disk-refusal.ts'
import { isOutOfInodes } from '../../lib/files/free-inodes.ts'
import { restoreHint } from '../session/restore-hint.ts'

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

export function heldTooLong(error: unknown, file: string, waitedMs: number): LockedError {
  return held(error, file, waitedMs, 'Wait until that process ends, or end it.')
}

/** The same error for a wait that a signal ended. */
export function heldAtStop(error: unknown, file: string, waitedMs: number): LockedError {
  return held(
    error,
    file,
    waitedMs,
    'Run again when that process has ended: the run fetches again what was not committed.',
  )
}

function held(error: unknown, file: string, waitedMs: number, hint: string): LockedError {
  const { pid, command } = lockHolder(error)
  return new LockedError('Another process holds the catalog lock.', {
    details: { file, pid, command, 'waited for (s)': Math.round(waitedMs / 1000) },
    hint: `${hint} To query the lake, open lake.duckdb or lake.ducklake, never catalog.ducklake.`,
    retryable: true,
    cause: error,
  })
}

/** Whether DuckDB refused to open a file for writing because this user may only read it. */
export function isReadOnly(error: unknown): boolean {
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
