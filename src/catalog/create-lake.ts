import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { inDataFolder } from '../lib/data-file-path.ts'
import { makeFolders } from '../lib/make-folders.ts'
import { syncFolder } from '../lib/sync-folder.ts'
import { chainlakeTables } from './chainlake-tables.ts'
import { ducklakeTables } from './ducklake-tables.ts'
import { storageFailure } from './failure.ts'
import { lakeExists } from './lake-folder.ts'
import { type LakePaths, lakePaths } from './paths.ts'
import { createSession, inTransaction, type Session } from './session.ts'
import { chainlakeVersion, ducklakeVersion } from './versions.ts'
import { markSql } from './write-ahead.ts'

/** Small blocks: most tables are empty or small, and with DuckDB's usual 256 KiB a new catalog would take 8 MiB. */
const settings = { threads: '1', memory_limit: '64MB', default_block_size: '65536' }

/** Beginning of the name of a catalog that is being made; one that a dead process left is removed by recovery. */
export const newCatalogPrefix = '.catalog.ducklake.new-'

/**
 * Makes an empty lake in an empty or absent folder. The catalog is built beside and linked into place, so that nobody
 * sees half of one; when another process was first, its lake stays.
 *
 * @throws StorageError, ConfigError (see `lakeExists`).
 */
export async function createEmptyLake(lakeDir: string): Promise<void> {
  if (await lakeExists(lakeDir)) return
  const paths = lakePaths(lakeDir)
  const draft = join(paths.lake, `${newCatalogPrefix}${randomUUID()}`)
  try {
    await makeFolders(paths.lake)
    await buildCatalog(draft, paths)
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

async function buildCatalog(file: string, paths: LakePaths): Promise<void> {
  const instance = await DuckDBInstance.create(file, settings)
  try {
    const connection = await instance.connect()
    try {
      const session = createSession(connection, async () => null)
      await inTransaction(session, () => writeEmptyCatalog(session, paths))
      await session.run('CHECKPOINT')
    } finally {
      connection.closeSync()
    }
  } finally {
    instance.closeSync()
  }
}

async function writeEmptyCatalog(session: Session, paths: LakePaths): Promise<void> {
  for (const [name, columns] of Object.entries(ducklakeTables))
    await session.run(`CREATE TABLE main.${name}(${columns})`)
  await session.append('main', 'ducklake_metadata', [
    ['version', ducklakeVersion, null, null],
    ['created_by', 'chainlake', null, null],
    ['data_path', dataPath(paths), null, null],
    ['encrypted', 'false', null, null],
  ])
  await session.run('INSERT INTO main.ducklake_snapshot VALUES (0, now(), 0, 1, 0)')
  await session.append('main', 'ducklake_snapshot_changes', [[0, 'created_schema:"main"', null, null, null]])
  // The files lie at data/<table>/…: the schema adds nothing to the data path.
  await session.run("INSERT INTO main.ducklake_schema VALUES (0, uuid(), 0, NULL, 'main', '', true)")
  await session.run('CREATE SCHEMA chainlake')
  for (const [name, columns] of Object.entries(chainlakeTables))
    await session.run(`CREATE TABLE chainlake.${name}(${columns})`)
  await session.append('chainlake', 'version', [[chainlakeVersion]])
  await session.run(markSql(null))
}

/** Where the paths of the catalog begin: absolute, with `/` at the end. */
export function dataPath(paths: LakePaths): string {
  return paths.store.url(inDataFolder('')).replaceAll('\\', '/')
}
