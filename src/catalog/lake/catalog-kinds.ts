import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { CatalogError, ConfigError, StorageError } from '../../errors.ts'
import { makeFolders } from '../../lib/files/make-folders.ts'
import { inDataFolder } from '../../store/data-file-path.ts'
import type { GivenStorage } from '../../store/given-storage.ts'
import { createCatalogFile } from '../duckdb/create-file.ts'
import { openDuckdbFile } from '../duckdb/duckdb-file.ts'
import { storageFailure } from '../duckdb/failure.ts'
import { databaseOf, isRecorded, recordPostgres } from '../place/catalog-place.ts'
import type { CatalogEndpoint, LakePaths } from '../place/paths.ts'
import { createPostgresCatalog, hasPostgresCatalog } from '../postgres/create-catalog.ts'
import { openPostgres } from '../postgres/postgres-backend.ts'
import { openServer } from '../postgres/server.ts'
import { restoreHint } from '../session/restore-hint.ts'

/** The catalog in a file in the folder of the lake. */
const inFolder: CatalogEndpoint = {
  url: null,
  inFolder: true,
  publishesCopy: true,
  exists: existsInFolder,
  create: createCatalogFile,
  record: async () => undefined,
  open: async (paths, options) => openDuckdbFile(paths, options),
}

function inPostgres(url: string): CatalogEndpoint {
  return {
    url,
    inFolder: false,
    publishesCopy: false,
    exists: async ({ lake }, stop) => existsInPostgres(url, lake, stop),
    create: async ({ lake }, fill, stop) => {
      await makeFolders(lake)
      await createPostgresCatalog(await openServer(url), fill, stop)
    },
    record: async (lake, lakeId) => recordPostgres(lake, url, await lakeId()),
    open: async (_, options) => openPostgres(await openServer(url), options),
  }
}

/** All kinds of catalogs, by the scheme of their URL. */
export const catalogKinds: Record<string, (url: string) => CatalogEndpoint> = {
  file: () => inFolder,
  postgres: inPostgres,
  postgresql: inPostgres,
}

/**
 * Where the catalog of a lake is: in its folder, which is absolute, or in the database that the options or the folder name.
 *
 * @throws ConfigError `lake.catalog` when the folder holds a catalog file although a database was configured.
 */
export function catalogEndpoint(lake: string, given: GivenStorage): CatalogEndpoint {
  const url = databaseOf(lake, given) ?? 'file:'
  // A URL of no known kind is refused when it is opened.
  const endpointOf = catalogKinds[url.slice(0, url.indexOf(':'))] ?? inPostgres
  return endpointOf(url)
}

/** False if the folder is missing or contains only dotfiles such as `.gitkeep`. */
async function existsInFolder(paths: LakePaths): Promise<boolean> {
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
