import { randomBytes } from 'node:crypto'
import { chmod, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { DerivedView, Table } from '../define/index.ts'
import { StorageError } from '../errors.ts'
import { packageVersion } from '../lib/package-version.ts'
import { reachStep } from '../lib/step.ts'
import { type LakeFiles, lakeScripts } from './lake-scripts.ts'
import { headerLine, lakeFileIdentity } from './published-snapshot.ts'

const temporaryName = /^\.views-(\d+)-[0-9a-f]+\.(duckdb|duckdb\.wal|sql)$/
const abandonedAfterMs = 3_600_000

/**
 * Writes `lake.duckdb`, the analysts' file, and `views.sql`, the same as text. Each is built beside under a name of its own
 * and renamed into place, so that readers keep what they opened and never see half a file. Throws `StorageError`.
 */
export async function publishViews(options: {
  lakeDir: string
  files: LakeFiles
  tables: readonly Table[]
  derived: readonly DerivedView[]
}): Promise<void> {
  const lakeDir = resolve(options.lakeDir)
  const { snapshotId } = options.files
  const temporary = join(lakeDir, `.views-${process.pid}-${randomBytes(6).toString('hex')}`)
  const version = packageVersion()
  const { tables, emptyTables, derived } = await lakeScripts({ ...options, lakeDir, publishedAt: new Date(), version })
  try {
    await removeAbandoned(lakeDir)
    await buildDatabase(`${temporary}.duckdb`, [...emptyTables, ...derived, ...tables])
    const lakeFile = await lakeFileIdentity(`${temporary}.duckdb`)
    reachStep('publish.after-views-build')
    await rm(join(lakeDir, 'lake.duckdb.wal'), { force: true })
    await rename(`${temporary}.duckdb`, join(lakeDir, 'lake.duckdb'))
    reachStep('publish.after-views-rename')
    await writeText(`${temporary}.sql`, headerLine({ snapshotId, lakeDir, version, lakeFile }), [...tables, ...derived])
    await rename(`${temporary}.sql`, join(lakeDir, 'views.sql'))
    reachStep('publish.after-views-text')
  } catch (cause) {
    for (const suffix of ['duckdb', 'duckdb.wal', 'sql']) await rm(`${temporary}.${suffix}`, { force: true })
    throw new StorageError('The views could not be written.', {
      code: 'storage.views',
      details: { lake: lakeDir, reason: cause instanceof Error ? cause.message : String(cause) },
      hint: 'What was exported is safe. Check the free space and the permissions of the folder, then run chainlake views.',
      cause,
    })
  }
}

/** Mode 0444: whoever opened the file for writing would lock out everybody else. */
async function buildDatabase(path: string, scripts: readonly string[]): Promise<void> {
  const instance = await DuckDBInstance.create(path, { autoinstall_known_extensions: 'false', threads: '1' })
  try {
    const connection = await instance.connect()
    try {
      await connection.run("SET TimeZone = 'UTC'")
      await connection.run('BEGIN')
      for (const script of scripts) await connection.run(script)
      await connection.run('COMMIT')
      await connection.run('CHECKPOINT')
    } finally {
      connection.closeSync()
    }
  } finally {
    instance.closeSync()
  }
  await chmod(path, 0o444)
  await syncFile(path)
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

async function writeText(path: string, header: string, scripts: readonly string[]): Promise<void> {
  const file = await open(path, 'wx', 0o644)
  try {
    await file.write(
      `${header}\n-- The views of lake.duckdb as text: read it into any DuckDB.\nSET TimeZone = 'UTC';\n`,
    )
    for (const script of scripts) await file.write(`${script}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Removes what publishers left that died: of processes that are gone, or older than an hour. */
async function removeAbandoned(lakeDir: string): Promise<void> {
  for (const name of await readdir(lakeDir)) {
    const pid = temporaryName.exec(name)?.[1]
    if (pid === undefined) continue
    const path = join(lakeDir, name)
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (age > abandonedAfterMs || !isRunning(Number(pid))) await rm(path, { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
