import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigError, OtherSourceError } from '../errors.ts'
import { makeFolders, replaceFile } from '../lib/files.ts'
import { inDataFolder } from '../store/data-file-path.ts'
import type { GivenStorage, Store, StoreAddress, StorePlace } from '../store/store.ts'
import { recordedSettings, schemeOf } from '../store/store-kinds.ts'
import { type Backend, inTransaction, type Session } from './session.ts'

/** Where a lake lies: its folder, its catalog and its data files. All paths are absolute. */
export type LakePaths = {
  readonly lake: string
  /** The catalog: private, opened for each operation. */
  readonly catalog: string
  /** The copy of the catalog that readers attach. */
  readonly published: string
  readonly endpoint: CatalogEndpoint
  /** The data files. */
  readonly store: Store
  readonly locks: string
  /** Options of the user for the lake. */
  readonly given: GivenStorage
}

/** Where the catalog of a lake is, and what follows from it. */
export type CatalogEndpoint = {
  /** URL of the database, which may hold the tasks of workers, too; null for a catalog in the folder of the lake. */
  readonly url: string | null
  /** Whether the catalog is a file in the folder of the lake, so that whoever has the folder has the lake. */
  readonly inFolder: boolean
  /** Whether readers attach the copy that each publication writes. Otherwise they query the catalog itself. */
  readonly publishesCopy: boolean
  /** Whether there is a catalog. Throws if there is something else in its place. */
  readonly exists: (paths: LakePaths, stop?: AbortSignal) => Promise<boolean>
  /** Creates an empty catalog and calls `fill` to fill it. If another process was faster, its catalog stays. */
  readonly create: (paths: LakePaths, fill: (session: Session) => Promise<void>, stop?: AbortSignal) => Promise<void>
  /** Records in the folder of a lake where its catalog is, unless the folder holds it. `lakeId` reads the id of the lake. */
  readonly record: (lake: string, lakeId: () => Promise<string>) => Promise<void>
  /** Opens the backend. It does not connect yet. `stop` shortens all waits. */
  readonly open: (
    paths: LakePaths,
    options: { readonly waitMs: number; readonly stop?: AbortSignal | undefined },
  ) => Promise<Backend>
}

/** DuckDB treats a question mark in a path like the one in a URL and inserts `.wal` in front of it. All other characters work. */
export function refuseQuestionMark(path: string): void {
  if (!path.includes('?')) return
  throw new ConfigError('The path of a lake or of a backup must not contain a question mark.', {
    code: 'lake.path',
    details: { path },
    hint: 'DuckDB treats the rest of the path as the query of a URL. Rename the folder, or choose another one.',
  })
}

/** The base of the paths in the catalog: absolute, with `/` at the end. */
export function dataPath(paths: LakePaths): string {
  return paths.store.address(inDataFolder('')).replaceAll('\\', '/')
}

/** Where a lake lies, as its user says it. What a catalog records of an existing lake complements it. */
export type LakeLocation = GivenStorage & {
  /** Folder of the lake; a relative path starts at the working directory. */
  readonly folder: string
}

/** File in the folder of a lake with a catalog in PostgreSQL. It records the URL of the database, without the password. */
const recordFile = 'catalog.json'

type CatalogRecord = { readonly format: 1; readonly postgres: string; readonly lakeId: string }

/**
 * The URL of the database that holds the catalog of a lake, from the options of the user or from the folder of the lake.
 * Null for a catalog in a file.
 *
 * @throws ConfigError `lake.catalog` when the folder holds a catalog file although a database was configured.
 */
export function databaseOf(lake: string, given: GivenStorage): string | null {
  const url = given.catalog ?? readRecord(lake)?.postgres ?? null
  if (url !== null && existsSync(join(lake, 'catalog.ducklake')))
    throw new ConfigError('The catalog of this lake is a file in its folder.', {
      code: 'lake.catalog',
      details: { lake },
      hint: 'A catalog cannot move between a file and PostgreSQL. Use another folder for a lake with a catalog in PostgreSQL.',
    })
  return url
}

/** Whether the folder belongs to an existing lake with a catalog in PostgreSQL. */
export function isRecorded(lakeDir: string): boolean {
  return readRecord(resolve(lakeDir)) !== null
}

/**
 * Records in the folder of a lake which database holds its catalog, if it is not recorded yet.
 *
 * @throws OtherSourceError `lake.other-catalog` for the folder of another lake.
 */
export async function recordPostgres(lakeDir: string, url: string, lakeId: string): Promise<void> {
  const lake = resolve(lakeDir)
  const known = readRecord(lake)
  if (known !== null && known.lakeId !== lakeId)
    throw new OtherSourceError('The folder and the database belong to different lakes.', {
      code: 'lake.other-catalog',
      details: { folder: lake, 'lake of the folder': known.lakeId, 'lake of the database': lakeId },
      hint: `Use another folder for the lake of this database. If you recreated the database on purpose, remove ${recordFile} from the folder.`,
    })
  const postgres = withoutPassword(url)
  if (known?.postgres === postgres) return
  await makeFolders(lake)
  await replaceFile(join(lake, recordFile), `${JSON.stringify({ format: 1, postgres, lakeId }, null, 2)}\n`)
}

function readRecord(lake: string): CatalogRecord | null {
  const path = join(lake, recordFile)
  if (!existsSync(path)) return null
  try {
    const read = JSON.parse(readFileSync(path, 'utf8'))
    if (read.format === 1 && typeof read.postgres === 'string' && typeof read.lakeId === 'string') return read
  } catch (cause) {
    throw notRead(path, cause)
  }
  throw notRead(path)
}

function notRead(path: string, cause?: unknown): ConfigError {
  return new ConfigError('The record of where the catalog is cannot be read.', {
    code: 'lake.catalog',
    details: { path },
    hint: 'Remove the file and set --lake to the URL of the database. chainlake then writes the file again.',
    cause,
  })
}

function withoutPassword(url: string): string {
  const parsed = new URL(url)
  parsed.password = ''
  parsed.searchParams.delete('password')
  return parsed.href
}

/** Prefix of the keys of settings in `ducklake_metadata`. They do not collide with options of DuckLake itself. */
const prefixOf = (kind: string): string => `chainlake_${kind}_`

/** For a copy of the catalog that has the data path of readers elsewhere: the data path of the catalog itself. */
const ownDataPath = 'chainlake_data_path'

/** What the catalog records about a store besides the data path: how to connect to it, without secrets. */
export function storageRows(place: StorePlace): readonly (readonly [key: string, value: string, null, null])[] {
  return Object.entries(recordedSettings(place)).map(([key, value]) => [prefixOf(place.kind) + key, value, null, null])
}

/** The base of the paths in the catalog, as recorded there. */
export async function readDataPath(session: Session): Promise<string | null> {
  const [row] = await session.rows("SELECT value FROM main.ducklake_metadata WHERE key = 'data_path' AND scope IS NULL")
  return row?.['value'] ?? null
}

/** The address of the data files that the catalog records; null if they are in the folder of the lake. */
export async function readStorage(session: Session): Promise<StoreAddress | null> {
  const rows = await session.rows('SELECT key, value FROM main.ducklake_metadata WHERE scope IS NULL')
  const values = new Map<string, string>(rows.map(({ key, value }) => [key, value]))
  const path = values.get(ownDataPath) ?? values.get('data_path') ?? ''
  const end = `/${inDataFolder('')}`
  const kind = schemeOf(path)
  if (kind === null || !path.endsWith(end)) return null
  const prefix = prefixOf(kind)
  const settings = [...values].filter(([key]) => key.startsWith(prefix))
  return {
    url: path.slice(0, -end.length),
    settings: Object.fromEntries(settings.map(([key, value]) => [key.slice(prefix.length), value])),
  }
}

export async function relocate(session: Session, paths: LakePaths): Promise<void> {
  if ((await readDataPath(session)) === dataPath(paths)) return
  await inTransaction(session, async () => {
    await session.run('DELETE FROM main.ducklake_metadata WHERE key = $1', [ownDataPath])
    await writeDataPath(session, dataPath(paths))
  })
}

/** Writes the data path of readers elsewhere into a copy of the catalog. The copy keeps its own path, in case it must replace the catalog. */
export async function relocateReaders(session: Session, path: string): Promise<void> {
  await inTransaction(session, async () => {
    await session.run('DELETE FROM main.ducklake_metadata WHERE key = $1', [ownDataPath])
    await session.run(
      "INSERT INTO main.ducklake_metadata (key, value) SELECT $1, value FROM main.ducklake_metadata WHERE key = 'data_path' AND scope IS NULL",
      [ownDataPath],
    )
    await writeDataPath(session, path)
  })
}

function writeDataPath(session: Session, path: string): Promise<void> {
  return session.run("UPDATE main.ducklake_metadata SET value = $1 WHERE key = 'data_path' AND scope IS NULL", [path])
}

/**
 * The name under which a restore keeps the catalog that it replaces, in the same folder. It holds `time` in the format in which run ids
 * begin.
 */
export function keptCatalogName(catalog: string, time: Date): string {
  return `${catalog}.before-restore-${time.toISOString().replaceAll(/[-:.]/g, '')}`
}

/** The time at which a restore replaced the catalog with this name, in the format in which run ids begin; null for other names. */
export function keptCatalogTime(name: string): string | null {
  return /\.before-restore-(\d{8}T\d{9}Z)$/.exec(name)?.[1] ?? null
}
