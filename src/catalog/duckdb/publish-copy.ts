import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileIdentity } from '../../lib/files/file-identity.ts'
import { syncFolder } from '../../lib/files/sync-folder.ts'
import { reachStep } from '../../lib/step.ts'
import type { LakePaths } from '../place/paths.ts'
import type { Session } from '../session/session.ts'
import type { AfterClose } from './catalog-lock.ts'
import { copyHeld } from './copy-held.ts'

/** Name of the copy until it is complete. The catalog lock ensures that there is only one. */
export const publishedDraft = '.lake.ducklake.new'

/**
 * Copies the catalog, under its exclusive lock, to a read-only file and renames it to `lake.ducklake`. Readers that have the old copy open
 * keep it. Returns the identity of the copy.
 */
export async function publishCopy(session: Session, paths: LakePaths, afterClose: AfterClose): Promise<string> {
  await session.fold()
  const draft = join(paths.lake, publishedDraft)
  await rm(draft, { force: true })
  try {
    await copyHeld(paths.catalog, draft, 0o444, afterClose)
    const identity = await fileIdentity(draft)
    reachStep('publish.after-catalog-copy')
    // A program that opened the copy for writing may have left it. DuckDB would replay it into the new copy.
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
