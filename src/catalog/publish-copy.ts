import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileIdentity } from '../lib/file-identity.ts'
import { reachStep } from '../lib/step.ts'
import { syncFolder } from '../lib/sync-folder.ts'
import { copyHeld } from './copy-held.ts'
import { dataPath } from './create-lake.ts'
import type { AfterClose } from './hold.ts'
import type { LakePaths } from './paths.ts'
import { inTransaction, type Session } from './session.ts'

/** Name of the copy while it is made. One at a time: whoever makes it holds the catalog. */
export const publishedDraft = '.lake.ducklake.new'

/** Makes the catalog say where the lake is now. */
export async function relocate(session: Session, paths: LakePaths): Promise<void> {
  const [row] = await session.rows("SELECT value FROM main.ducklake_metadata WHERE key = 'data_path' AND scope IS NULL")
  if (row?.['value'] === dataPath(paths)) return
  await inTransaction(session, () =>
    session.run("UPDATE main.ducklake_metadata SET value = $1 WHERE key = 'data_path' AND scope IS NULL", [
      dataPath(paths),
    ]),
  )
}

/**
 * Copies the catalog, held exclusively, beside itself and renames the copy to `lake.ducklake`, read-only: who has the old
 * one open keeps it. Returns the identity of the copy.
 */
export async function publishCopy(session: Session, paths: LakePaths, afterClose: AfterClose): Promise<string> {
  await relocate(session, paths)
  await session.run('CHECKPOINT')
  const draft = join(paths.lake, publishedDraft)
  await rm(draft, { force: true })
  try {
    await copyHeld(paths.catalog, draft, 0o444, afterClose)
    const identity = await fileIdentity(draft)
    reachStep('publish.after-catalog-copy')
    // Left by someone who opened the copy for writing; it would be replayed into the new one.
    await rm(`${paths.published}.wal`, { force: true })
    await rename(draft, paths.published)
    await syncFolder(paths.lake)
    reachStep('publish.after-catalog-rename')
    return identity
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
