import { resolve } from 'node:path'
import { CatalogError, ConfigError } from '../../errors.ts'
import { hasDataFolder } from '../../store/folder-store.ts'
import { givenStorage } from '../../store/given-storage.ts'
import type { StoreAddress, StorePlace } from '../../store/store.ts'
import { storePlaceAt } from '../../store/store-kinds.ts'
import { postgresOf } from '../place/catalog-place.ts'
import { dataPath, type LakePaths, lakePaths } from '../place/paths.ts'
import { readDataPath, readStorage } from '../place/recorded-storage.ts'
import { checkVersions } from '../schema/versions.ts'
import type { WaitOptions } from '../session/backend.ts'
import type { Session } from '../session/session.ts'
import { hasCatalog } from './lake-folder.ts'
import { openBackend } from './open-backend.ts'

/**
 * The location of the data files of a lake. The catalog of an existing lake records it; a new lake takes it from the options of this
 * process. If the folder of the lake has data files, the catalog is not read.
 *
 * @throws ConfigError `lake.data` when catalog and options differ; whatever opening a catalog throws.
 */
export async function findPlace(
  lakeDir: string,
  options: WaitOptions & { readonly waitMs: number },
): Promise<StorePlace> {
  const paths = lakePaths(lakeDir)
  const { lake } = paths
  if (!hasCatalog(lake)) return placeOf(lake, null)
  const backend = await openBackend(paths, options)
  const readIt = async (session: Session) => {
    await checkVersions(session, backend.name)
    return readStorage(session)
  }
  const isHere = postgresOf(lake) === null && hasDataFolder(lake)
  const recorded = isHere ? null : await backend.read(readIt, options)
  const { data, dataFolder } = givenStorage(lake)
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
  return recorded === null ? storePlaceAt(lake, null, {}) : placeOf(lake, recorded)
}

/** The location for the data files of a new lake. */
export function newPlace(lakeDir: string): StorePlace {
  return placeOf(lakeDir, null)
}

/** The location of the data files that a catalog records; without a record, the location for a new lake. */
export function placeOf(lakeDir: string, recorded: StoreAddress | null): StorePlace {
  const lake = resolve(lakeDir)
  const given = givenStorage(lake)
  const planned = given.data === undefined ? null : { url: given.data, settings: {} }
  return storePlaceAt(lake, recorded ?? planned, given)
}

/** Refuses a catalog with files in S3 if the folder of the lake contains `data/`, too. */
export async function verifyPlace(session: Session, paths: LakePaths): Promise<void> {
  const { lake, store } = paths
  const recorded = await readStorage(session)
  if (postgresOf(lake) !== null) await verifyFolder(session, paths)
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
