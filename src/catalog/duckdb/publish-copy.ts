import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileIdentity } from '../../lib/files/file-identity.ts'
import { syncFolder } from '../../lib/files/sync-folder.ts'
import { reachStep } from '../../lib/step.ts'
import type { LakePaths } from '../place/paths.ts'
import type { Session } from '../session/session.ts'
import type { AfterClose } from './catalog-lock.ts'
import { copyHeld } from './copy-held.ts'

/** Name of the copy while it is made. One at a time: whoever makes it holds the catalog. */
export const publishedDraft = '.lake.ducklake.new'

/**
 * Copies the catalog, held exclusively, beside itself and renames the copy to `lake.ducklake`, read-only: who has the old
 * one open keeps it. Returns the identity of the copy.
 */
export async function publishCopy(session: Session, paths: LakePaths, afterClose: AfterClose): Promise<string> {
  await session.fold()
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
