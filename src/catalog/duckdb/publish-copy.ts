import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileIdentity } from '../../lib/files/file-identity.ts'
import { setMode } from '../../lib/files/file-mode.ts'
import { syncFile } from '../../lib/files/sync-file.ts'
import { syncFolder } from '../../lib/files/sync-folder.ts'
import { reachStep } from '../../lib/step.ts'
import type { LakePaths } from '../place/paths.ts'
import { relocateReaders } from '../place/relocate.ts'
import type { Session } from '../session/session.ts'
import { type AfterClose, withCatalogLockOnce } from './catalog-lock.ts'
import { copyHeld } from './copy-held.ts'

/** Name of the copy until it is complete. The catalog lock ensures that there is only one. */
export const publishedDraft = '.lake.ducklake.new'

/**
 * Copies the catalog, under its exclusive lock, to a read-only file and renames it to `lake.ducklake`. Readers that have the old copy open
 * keep it. They find the data files at `dataPath`; null: where the catalog says. Returns the identity of the copy.
 */
export async function publishCopy(
  session: Session,
  paths: LakePaths,
  afterClose: AfterClose,
  dataPath: string | null,
): Promise<string> {
  await session.fold()
  const draft = join(paths.lake, publishedDraft)
  await rm(draft, { force: true })
  try {
    await copyHeld(paths.catalog, draft, dataPath === null ? 0o444 : 0o644, afterClose)
    if (dataPath !== null) await relocateCopy(draft, dataPath)
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

async function relocateCopy(draft: string, dataPath: string): Promise<void> {
  await withCatalogLockOnce(draft, { access: 'READ_WRITE', waitMs: 0 }, async (session) => {
    await relocateReaders(session, dataPath)
    await session.fold()
  })
  await setMode(draft, 0o444)
  await syncFile(draft)
}
