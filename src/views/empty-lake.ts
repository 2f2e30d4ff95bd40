import { hash } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { type DuckDBConnection, DuckDBInstance, version as duckdbVersion } from '@duckdb/node-api'
import { packageRoot } from '../lib/files/package-root.ts'
import { interruptAt } from './interrupt-at.ts'

/**
 * The file in which the build stores the views of a lake without files. A publication spends most of its time on creating the views and
 * their comments, although they are the same for every lake. The name contains a hash of the scripts, so that a file with other
 * declarations is never used. It is compressed, since it would be the largest file of the package.
 */
export function emptyLakePath(scripts: readonly string[]): string {
  return join(packageRoot(), 'dist/views', `${emptyLakeHash(scripts)}.duckdb.gz`)
}

/** Identifies an empty lake by its scripts and by the version of DuckDB that runs them. */
export function emptyLakeHash(scripts: readonly string[]): string {
  return hash('sha256', JSON.stringify([duckdbVersion(), scripts]), 'hex').slice(0, 16)
}

/**
 * Creates a database with the views of a lake without files: unpacks the file of the build, or runs the scripts where the build left none.
 */
export async function makeEmptyLake(path: string, scripts: readonly string[], stop?: AbortSignal): Promise<void> {
  try {
    const packed = await readFile(emptyLakePath(scripts))
    await writeFile(path, await promisify(gunzip)(packed))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await runInDatabase(path, scripts, { stop })
  }
}

/** Writes the file of `emptyLakePath`; the build calls this. */
export async function writeEmptyLake(scripts: readonly string[]): Promise<void> {
  const path = emptyLakePath(scripts)
  const temporary = `${path}.${process.pid}`
  const database = `${temporary}.duckdb`
  await runInDatabase(database, scripts)
  await writeFile(temporary, await promisify(gzip)(await readFile(database)))
  await rm(database)
  await rename(temporary, path)
}

/** Takes every file other than the database from a connection, for good. It keeps that even from SQL that changes settings. */
export async function confine(connection: DuckDBConnection): Promise<void> {
  for (const setting of [
    'enable_external_access = false',
    'autoload_known_extensions = false',
    'lock_configuration = true',
  ])
    await connection.run(`SET ${setting}`)
}

type RunOptions = {
  readonly stop?: AbortSignal | undefined
  /** Whether the scripts can reach no file other than the database. */
  readonly confined?: boolean
}

/** Runs scripts in one transaction in a database, and creates the database if it does not exist. */
export async function runInDatabase(
  path: string,
  scripts: readonly string[],
  { stop, confined = false }: RunOptions = {},
): Promise<void> {
  stop?.throwIfAborted()
  const instance = await DuckDBInstance.create(path, { autoinstall_known_extensions: 'false', threads: '1' })
  try {
    const connection = await instance.connect()
    const release = interruptAt(stop, connection)
    try {
      await connection.run("SET TimeZone = 'UTC'")
      if (confined) await confine(connection)
      await connection.run('BEGIN')
      for (const script of scripts) {
        stop?.throwIfAborted()
        await connection.run(script)
      }
      await connection.run('COMMIT')
      await connection.run('CHECKPOINT')
    } finally {
      release()
      connection.closeSync()
    }
  } finally {
    instance.closeSync()
  }
}
