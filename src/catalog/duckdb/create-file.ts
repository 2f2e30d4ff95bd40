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

/** Small blocks: most tables are empty or small, and with DuckDB's usual 256 KiB a new catalog would take 8 MiB. */
const settings = { threads: '1', memory_limit: '64MB', default_block_size: '65536' }

/** Beginning of the name of a catalog that is being made; one that a dead process left is removed by recovery. */
export const newCatalogPrefix = '.catalog.ducklake.new-'

/**
 * Makes the file of a new catalog, which `fill` fills. It is built beside and linked into place, so that nobody sees half of one; when
 * another process was first, its catalog stays.
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
    // A file system without hard links.
    if (!existsSync(file)) await rename(draft, file)
  }
}

/** Makes the file of a catalog, which `fill` fills. */
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
