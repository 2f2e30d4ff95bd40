import { CatalogError, ConfigError } from '../../errors.ts'
import { hasDataFolder } from '../../store/folder-store.ts'
import type { StoreAddress } from '../../store/store.ts'
import { openStore, storePlaceAt } from '../../store/store-kinds.ts'
import type { LakeLocation } from '../place/lake-location.ts'
import { dataPath, type LakePaths } from '../place/paths.ts'
import { readDataPath, readStorage } from '../place/recorded-storage.ts'
import { checkVersions } from '../schema/versions.ts'
import type { WaitOptions } from '../session/backend.ts'
import type { Session } from '../session/session.ts'
import { hasCatalog, lakePaths } from './lake-paths.ts'

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
