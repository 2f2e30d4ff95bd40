import { ConfigError } from '../../errors.ts'
import { inDataFolder } from '../../store/data-file-path.ts'
import type { LakeLocation } from '../place/lake-location.ts'
import { dataPath, type LakePaths } from '../place/paths.ts'
import { storageRows } from '../place/recorded-storage.ts'
import { chainlakeTables } from '../schema/chainlake-tables.ts'
import { ducklakeTables } from '../schema/ducklake-tables.ts'
import { chainlakeVersion, ducklakeVersion } from '../schema/versions.ts'
import type { Session } from '../session/session.ts'
import { latestSnapshot } from '../session/snapshot.ts'
import { withStorage } from './find-lake.ts'
import { lakePaths } from './lake-paths.ts'

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
