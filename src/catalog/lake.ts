import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { CatalogError, ConfigError, StorageError } from '../errors.ts'
import { makeFolders } from '../lib/files.ts'
import { inDataFolder } from '../store/data-file-path.ts'
import { hasDataFolder } from '../store/folder-store.ts'
import type { GivenStorage, StoreAddress } from '../store/store.ts'
import { openStore, storePlaceAt } from '../store/store-kinds.ts'
import { storageFailure } from './duckdb/catalog-lock.ts'
import { createCatalogFile, openDuckdbFile } from './duckdb/duckdb-file.ts'
import {
  type CatalogEndpoint,
  databaseOf,
  dataPath,
  isRecorded,
  type LakeLocation,
  type LakePaths,
  readDataPath,
  readStorage,
  recordPostgres,
  refuseQuestionMark,
  storageRows,
} from './place.ts'
import { chainlakeTables, chainlakeVersion, checkVersions, ducklakeTables, ducklakeVersion } from './schema.ts'
import { filesOfTables, latestSnapshot, pathOfFile, restoreHint, type Session, type WaitOptions } from './session.ts'

/**
 * Where a lake lies, with the store of its data files. The catalog of an existing lake records their location; a new lake takes it from the
 * location. If the folder of the lake has data files, the catalog is not read.
 *
 * @throws ConfigError `lake.data` when catalog and options differ; whatever opening a catalog throws.
 */
export async function findLake(
  location: LakeLocation,
  options: WaitOptions & { readonly waitMs: number },
): Promise<LakePaths> {
  const paths = lakePaths(location)
  const { lake, endpoint, given } = paths
  if (!hasCatalog(paths)) return withStorage(paths, null)
  const backend = await endpoint.open(paths, options)
  const readIt = async (session: Session) => {
    await checkVersions(session, backend.name)
    return readStorage(session)
  }
  const isHere = endpoint.inFolder && hasDataFolder(lake)
  const recorded = isHere ? null : await backend.read(readIt, options)
  const { data, dataFolder } = given
  const is = recorded?.url
  const said = data ?? dataFolder
  // `verifyPlace` compares the folder of the files if the catalog is in PostgreSQL.
  const agrees = said === undefined || (data === undefined ? is === undefined : said === is)
  if (!agrees)
    throw new ConfigError('The data files of this lake are at another location than --data says.', {
      code: 'lake.data',
      details: { lake, 'its files are in': is ?? 'its own folder', '--data': said },
      hint: 'The data files of a lake cannot move to another kind of store. Omit --data, or set --lake to a new folder.',
    })
  return recorded === null ? paths : withStorage(paths, recorded)
}

/** The same lake with the store that a catalog records; without a record, with that of a new lake. */
export function withStorage(paths: LakePaths, recorded: StoreAddress | null): LakePaths {
  const { lake, given } = paths
  const planned = given.data === undefined ? null : { url: given.data, settings: {} }
  return { ...paths, store: openStore(storePlaceAt(lake, recorded ?? planned, given)) }
}

/** Refuses a catalog with files in S3 if the folder of the lake contains `data/`, too. */
export async function verifyPlace(session: Session, paths: LakePaths): Promise<void> {
  const { lake, store, endpoint } = paths
  const recorded = await readStorage(session)
  if (!endpoint.inFolder) await verifyFolder(session, paths)
  if ((recorded !== null) === (store.remote !== null)) return
  throw new CatalogError('The data files of the catalog are not in the folder of the lake.', {
    code: 'catalog.data',
    details: { lake, 'they are in': recorded?.url },
    hint: 'Move the folder data/ in the folder of the lake away: it belongs to another lake.',
  })
}

/** Other machines may use the same catalog in a database, so the folder of the data files must have the same path on all of them. */
async function verifyFolder(session: Session, paths: LakePaths): Promise<void> {
  const { lake } = paths
  const said = await readDataPath(session)
  if (said === dataPath(paths)) return
  throw new CatalogError('The data files of this lake are at another location than --data says.', {
    code: 'catalog.data',
    details: { 'its files are in': said?.replace(/data\/$/, ''), '--data': lake },
    hint: 'Set --data to the folder or bucket with its files; a folder must have the same path on every machine. If you have moved all files, update public.ducklake_metadata: set value to the new path, with / at its end, where key is data_path.',
  })
}

/**
 * Creates an empty lake in an empty or missing folder. If another process was faster, its lake stays.
 *
 * @throws StorageError, ConfigError (see `lakeExists`).
 */
export async function createEmptyLake(location: LakeLocation, stop?: AbortSignal): Promise<void> {
  const folder = lakePaths(location)
  if (await folder.endpoint.exists(folder, stop)) return
  const paths = withStorage(folder, null)
  await verifyUnused(paths)
  const { endpoint, lake } = paths
  await endpoint.create(paths, (session) => writeEmptyCatalog(session, paths), stop)
  const backend = await endpoint.open(paths, { waitMs: 0, stop })
  await endpoint.record(lake, async () => (await backend.read(latestSnapshot)).lakeId)
}

/** Refuses a location that already has data files: they belong to another lake. `lakeExists` has checked a local folder. */
async function verifyUnused({ store, lake, endpoint }: LakePaths): Promise<void> {
  if (store.remote === null && endpoint.inFolder) return
  const [first] = await store.list(inDataFolder(''))
  if (first === undefined) return
  throw new ConfigError('The location for the data files of the new lake already contains data files.', {
    code: 'lake.other-data',
    details: { lake, data: store.address(''), first },
    hint: 'Set --data to another prefix, or --lake to the folder of the lake that owns the files. If that folder is gone, restore it from a backup.',
  })
}

/** Writes the tables of a catalog without data files. */
export async function writeEmptyCatalog(session: Session, paths: LakePaths): Promise<void> {
  for (const [name, columns] of Object.entries(ducklakeTables))
    await session.run(`CREATE TABLE main.${name}(${session.dialect.columns(columns)})`)
  await session.append('main', 'ducklake_metadata', [
    ['version', ducklakeVersion, null, null],
    ['created_by', 'chainlake', null, null],
    ['data_path', dataPath(paths), null, null],
    ['encrypted', 'false', null, null],
    ...storageRows(paths.store.place),
  ])
  await session.run('INSERT INTO main.ducklake_snapshot VALUES (0, now(), 0, 1, 0)')
  await session.append('main', 'ducklake_snapshot_changes', [[0, 'created_schema:"main"', null, null, null]])
  // The files are at data/<table>/…: the schema adds nothing to the data path.
  await session.run("INSERT INTO main.ducklake_schema VALUES (0, gen_random_uuid(), 0, NULL, 'main', '', true)")
  await session.run('CREATE SCHEMA chainlake')
  for (const [name, columns] of Object.entries(chainlakeTables))
    await session.run(`CREATE TABLE chainlake.${name}(${session.dialect.columns(columns)})`)
  await session.append('chainlake', 'version', [[chainlakeVersion]])
}

/**
 * Where a lake lies, without reading its catalog: the store is that of files in its folder; see `findLake`.
 *
 * @throws ConfigError for a path that DuckDB cannot write to, and `lake.catalog`.
 */
export function lakePaths({ folder, ...given }: LakeLocation): LakePaths {
  const lake = resolve(folder)
  refuseQuestionMark(lake)
  return {
    lake,
    catalog: join(lake, 'catalog.ducklake'),
    published: join(lake, 'lake.ducklake'),
    endpoint: catalogEndpoint(lake, given),
    store: openStore(storePlaceAt(lake, null, given)),
    locks: join(lake, 'locks'),
    given,
  }
}

/**
 * Whether the folder, or the database of its catalog, holds a lake.
 *
 * @throws StorageError when the path is not a folder; ConfigError when the folder contains other files but no catalog.
 */
export async function lakeExists(location: LakeLocation): Promise<boolean> {
  const paths = lakePaths(location)
  return paths.endpoint.exists(paths)
}

/** Whether the lake has a catalog, regardless of its other files. A folder may hold the views alone. */
export function hasCatalog({ endpoint, catalog }: LakePaths): boolean {
  return !endpoint.inFolder || existsSync(catalog)
}

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

/** The server of a catalog, with the code that only lakes in PostgreSQL load. */
async function connectPostgres(url: string) {
  const [backend, { openServer }] = await Promise.all([
    import('./postgres/postgres-backend.ts'),
    import('./postgres/server.ts'),
  ])
  return { ...backend, server: await openServer(url) }
}

function inPostgres(url: string): CatalogEndpoint {
  return {
    url,
    inFolder: false,
    publishesCopy: false,
    exists: async ({ lake }, stop) => existsInPostgres(url, lake, stop),
    create: async ({ lake }, fill, stop) => {
      await makeFolders(lake)
      const { createPostgresCatalog, server } = await connectPostgres(url)
      await createPostgresCatalog(server, fill, stop)
    },
    record: async (lake, lakeId) => recordPostgres(lake, url, await lakeId()),
    open: async (_, options) => {
      const { openPostgres, server } = await connectPostgres(url)
      return openPostgres(server, options)
    },
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
function catalogEndpoint(lake: string, given: GivenStorage): CatalogEndpoint {
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
  const { hasPostgresCatalog, server } = await connectPostgres(url)
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

/**
 * The files in the published catalog, by their paths relative to the lake, with the SHA-256 of each whole file (hexadecimal; null if the catalog
 * has no record of it). Replaced files are included until they expire. It takes no lock: it reads the copy that readers attach, or the server.
 *
 * @throws CatalogError when the copy is missing or cannot be read.
 */
export async function recordedFiles(location: LakeLocation) {
  const paths = lakePaths(location)
  const backend = await paths.endpoint.open({ ...paths, catalog: paths.published }, { waitMs: 10_000 })
  return backend.read(async (session) => {
    const rows = await session.rows(
      `SELECT ${pathOfFile} AS path, d.file_size_bytes AS bytes, max(f.sha256) AS sha256
       FROM ${filesOfTables} LEFT JOIN chainlake.file f ON f.data_file_id = d.data_file_id
       GROUP BY 1, 2`,
    )
    type Recorded = { readonly bytes: number; readonly sha256: string | null }
    return new Map(rows.map(({ path, bytes, sha256 }): [string, Recorded] => [path, { bytes, sha256 }]))
  })
}
