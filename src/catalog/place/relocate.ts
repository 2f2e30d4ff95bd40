import { inTransaction, type Session } from '../session/session.ts'
import { dataPath, type LakePaths } from './paths.ts'
import { ownDataPath, readDataPath } from './recorded-storage.ts'

/** Writes the current location of the lake into the catalog. */
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
