import { inTransaction, type Session } from '../session/session.ts'
import { dataPath, type LakePaths } from './paths.ts'
import { readDataPath } from './recorded-storage.ts'

/** Writes the current location of the lake into the catalog. */
export async function relocate(session: Session, paths: LakePaths): Promise<void> {
  if ((await readDataPath(session)) === dataPath(paths)) return
  await inTransaction(session, () =>
    session.run("UPDATE main.ducklake_metadata SET value = $1 WHERE key = 'data_path' AND scope IS NULL", [
      dataPath(paths),
    ]),
  )
}
