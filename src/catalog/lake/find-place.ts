import { resolve } from 'node:path'
import { CatalogError, ConfigError } from '../../errors.ts'
import { hasDataFolder } from '../../store/folder-store.ts'
import { givenStorage } from '../../store/given-storage.ts'
import { s3AddressText } from '../../store/s3-place.ts'
import { s3PlaceOf } from '../../store/s3-store.ts'
import type { StorePlace } from '../../store/store.ts'
import { postgresOf } from '../place/catalog-place.ts'
import { dataPath, type LakePaths, lakePaths } from '../place/paths.ts'
import { type RecordedStorage, readDataPath, readStorage } from '../place/recorded-storage.ts'
import { checkVersions } from '../schema/versions.ts'
import type { WaitOptions } from '../session/backend.ts'
import type { Session } from '../session/session.ts'
import { hasCatalog } from './lake-folder.ts'
import { openBackend } from './open-backend.ts'

/**
 * Where the files of a lake are: of one that is there, what its catalog says; of one that is to be made, what this process was told. Files in
 * the lake's own folder say so themselves, without the catalog.
 *
 * @throws ConfigError `lake.data` where the two differ; what opening a catalog throws.
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
  const is = textOf(recorded)
  const said = data === undefined ? dataFolder : s3AddressText(data)
  // In which folder the files of a catalog in PostgreSQL are, `verifyPlace` compares.
  const agrees = said === undefined || (data === undefined ? is === undefined : said === is)
  if (!agrees)
    throw new ConfigError('The files of this lake are elsewhere.', {
      code: 'lake.data',
      details: { lake, 'its files are in': is ?? 'its own folder', 'asked for': said },
      hint: 'A lake stays where it was begun. Leave --data out, or give --lake a new folder for a lake there.',
    })
  return recorded === null ? { kind: 'folder', lake } : placeOf(lake, recorded)
}

/** Where the files of a lake are to be that is not there yet. */
export function newPlace(lakeDir: string): StorePlace {
  return placeOf(lakeDir, null)
}

/** Where a catalog with this record has its files; without one, where a new lake of the folder is to have them. */
export function placeOf(lakeDir: string, recorded: RecordedStorage | null): StorePlace {
  const lake = resolve(lakeDir)
  const { data, ...given } = givenStorage(lake)
  const address = recorded?.data ?? data
  return address === undefined ? { kind: 'folder', lake } : s3PlaceOf(lake, address, { ...recorded?.access, ...given })
}

function textOf(recorded: RecordedStorage | null): string | undefined {
  return recorded === null ? undefined : s3AddressText(recorded.data)
}

/** Refuses a catalog whose files are not where they are looked for: in one with a folder `data/` beside it that names files in S3. */
export async function verifyPlace(session: Session, paths: LakePaths): Promise<void> {
  const { lake, store } = paths
  const recorded = await readStorage(session)
  if (postgresOf(lake) !== null) await verifyFolder(session, paths)
  if ((recorded !== null) === (store.place.kind === 's3')) return
  throw new CatalogError('The files that the catalog names are not in the folder of the lake.', {
    code: 'catalog.data',
    details: { lake, 'they are in': textOf(recorded) },
    hint: 'Move the folder data/ away that lies beside the catalog: it is not of this lake.',
  })
}

/** Who finds a catalog in a database may be another machine: what is the lake's folder here must be so everywhere. */
async function verifyFolder(session: Session, paths: LakePaths): Promise<void> {
  const { lake } = paths
  const said = await readDataPath(session)
  if (said === dataPath(paths)) return
  throw new CatalogError('The files of this lake are elsewhere.', {
    code: 'catalog.data',
    details: { 'its files are in': said?.replace(/data\/$/, ''), 'asked for': lake },
    hint: 'Give --data the folder or bucket that its files are in: a folder must have the same path on every machine. If all files were moved there, write the new path, with / at its end, to public.ducklake_metadata where key is data_path.',
  })
}
