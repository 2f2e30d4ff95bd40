import { inTransaction, type Session } from '../session/session.ts'
import { dataPath, type LakePaths } from './paths.ts'
import { readDataPath } from './recorded-storage.ts'

/** Makes the catalog say where the lake is now. */
export async function relocate(session: Session, paths: LakePaths): Promise<void> {
  if ((await readDataPath(session)) === dataPath(paths)) return
  await inTransaction(session, () =>
    session.run("UPDATE main.ducklake_metadata SET value = $1 WHERE key = 'data_path' AND scope IS NULL", [
      dataPath(paths),
    ]),
  )
}
