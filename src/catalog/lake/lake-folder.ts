import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { CatalogError, ConfigError, StorageError } from '../../errors.ts'
import { inDataFolder } from '../../store/data-file-path.ts'
import { storageFailure } from '../duckdb/failure.ts'
import { isRecorded, postgresOf } from '../place/catalog-place.ts'
import { lakePaths } from '../place/paths.ts'
import { hasPostgresCatalog } from '../postgres/create-catalog.ts'
import { openServer } from '../postgres/server.ts'
import { restoreHint } from '../session/restore-hint.ts'

/**
 * Whether the folder, or the database of its catalog, holds a lake. False if the folder is missing or contains only dotfiles such as
 * `.gitkeep`.
 *
 * @throws StorageError when the path is not a folder; ConfigError when the folder contains other files but no catalog.
 */
export async function lakeExists(lakeDir: string, stop?: AbortSignal): Promise<boolean> {
  const url = postgresOf(lakeDir)
  if (url !== null) return existsInPostgres(url, lakeDir, stop)
  const paths = lakePaths(lakeDir)
  const names = await readFolder(paths.lake)
  if (names === null) return false
  if (names.includes('catalog.ducklake')) return true
  const others = names.filter((name) => !name.startsWith('.'))
  if (others.length === 0) return false
  throw new ConfigError('The folder is not empty and contains no lake.', {
    code: 'lake.not-a-lake',
    details: { folder: paths.lake, 'it holds': others.slice(0, 5).join(', ') },
    hint:
      existsSync(paths.published) || (await paths.store.list(inDataFolder(''))).length > 0
        ? `Its catalog.ducklake is missing. ${restoreHint}`
        : 'Set --lake to an empty or new folder, or to the folder of a lake.',
  })
}

/** Whether the lake has a catalog, regardless of its other files. A folder may hold the views alone. */
export function hasCatalog(lakeDir: string): boolean {
  return postgresOf(lakeDir) !== null || existsSync(lakePaths(lakeDir).catalog)
}

async function existsInPostgres(url: string, lakeDir: string, stop: AbortSignal | undefined): Promise<boolean> {
  const server = await openServer(url)
  if (await hasPostgresCatalog(server, stop)) return true
  if (!isRecorded(lakeDir)) return false
  throw new CatalogError('The catalog of the lake is missing in its database.', {
    code: 'catalog.missing',
    details: { folder: lakeDir, catalog: server.name },
    hint: 'Restore the database from its backup, or set --lake postgres://… to the right database. For a new lake, use another folder.',
  })
}

async function readFolder(lake: string): Promise<string[] | null> {
  try {
    return await readdir(lake)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    if (code === 'ENOTDIR')
      throw new StorageError('The path of the lake is a file, not a folder.', {
        code: 'storage.not-a-folder',
        details: { path: lake },
        hint: 'Set --lake to another path.',
        cause: error,
      })
    throw storageFailure(error, lake)
  }
}
