import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { makeFolders } from '../../lib/files/make-folders.ts'
import { syncFolder } from '../../lib/files/sync-folder.ts'
import type { LakePaths } from '../place/paths.ts'
import { inTransaction, type Session } from '../session/session.ts'
import { createSession } from './duckdb-session.ts'
import { storageFailure } from './failure.ts'
import { markSql } from './write-ahead.ts'

/** Small blocks, because most tables are empty or small. With the default of 256 KiB, a new catalog would take 8 MiB. */
const settings = { threads: '1', memory_limit: '64MB', default_block_size: '65536' }

/** Prefix of the file name of a new catalog until it is complete. Recovery removes the drafts of dead processes. */
export const newCatalogPrefix = '.catalog.ducklake.new-'

/**
 * Creates the file of a new catalog and calls `fill` to fill it. It builds a draft and links it to the final name, so that no process
 * sees a partial catalog. If another process was faster, its catalog stays.
 *
 * @throws StorageError.
 */
export async function createCatalogFile(paths: LakePaths, fill: (session: Session) => Promise<void>): Promise<void> {
  const draft = join(paths.lake, `${newCatalogPrefix}${randomUUID()}`)
  try {
    await makeFolders(paths.lake)
    await buildCatalog(draft, fill)
    await putInPlace(draft, paths.catalog)
    await syncFolder(paths.lake)
  } catch (error) {
    if (!existsSync(paths.catalog)) throw storageFailure(error, paths.lake)
  } finally {
    await rm(draft, { force: true })
    await rm(`${draft}.wal`, { force: true })
  }
}

async function putInPlace(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    // The file system has no hard links.
    if (!existsSync(file)) await rename(draft, file)
  }
}

/** Creates the file of a catalog and calls `fill` to fill it. */
export async function buildCatalog(file: string, fill: (session: Session) => Promise<void>): Promise<void> {
  const instance = await DuckDBInstance.create(file, settings)
  try {
    const connection = await instance.connect()
    try {
      const session = createSession(connection, async () => null)
      await inTransaction(session, async () => {
        await fill(session)
        await session.run(markSql(null))
      })
      await session.fold()
    } finally {
      connection.closeSync()
    }
  } finally {
    instance.closeSync()
  }
}
