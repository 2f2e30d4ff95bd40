import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, rm, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { ChainlakeError, StorageError } from '../../errors.ts'
import { diskRefusal } from '../../lib/files/disk-refusal.ts'
import { copyToNew } from '../../lib/files/file-mode.ts'
import type { LakeSnapshot } from '../../model.ts'
import type { StoreAddress } from '../../store/store.ts'
import { readVisibleFiles, type VisibleFile } from '../files/lost-files.ts'
import { readEarlierFiles } from '../files/named-files.ts'
import { readStorage } from '../place/recorded-storage.ts'
import { checkVersions } from '../schema/versions.ts'
import type { Session } from '../session/session.ts'
import { latestSnapshot } from '../session/snapshot.ts'
import { withCatalogLock, withCatalogLockOnce } from './catalog-lock.ts'
import { copyHeld } from './copy-held.ts'
import { walBytes, walFile } from './write-ahead.ts'

/** The contents of a catalog that a backup needs. */
export type CatalogContents = {
  readonly snapshot: LakeSnapshot
  readonly files: readonly VisibleFile[]
  /** Replaced files: earlier snapshots show them, or they wait for removal. Relative to the lake. */
  readonly earlier: readonly string[]
  /** Null: the data files are in the folder of the lake. */
  readonly storage: StoreAddress | null
}

export async function readContents(session: Session): Promise<CatalogContents> {
  return {
    snapshot: await latestSnapshot(session),
    files: await readVisibleFiles(session),
    earlier: await readEarlierFiles(session),
    storage: await readStorage(session),
  }
}

/**
 * Copies a catalog and its write-ahead file, in the state between two commits, to a new file, and folds both into one there. It only
 * reads the catalog itself, so that it works on a full or read-only disk.
 */
export async function copyCatalog(from: string, to: string, waitMs: number): Promise<CatalogContents> {
  await withCatalogLock(from, { access: 'READ_ONLY', waitMs }, async (session, afterClose) => {
    await checkVersions(session, from)
    await writing(to, async () => {
      await copyHeld(from, to, 0o644, afterClose)
      if (walBytes(from) > 0) await copyToNew(walFile(from), walFile(to), 0)
    })
  })
  await chmod(walFile(to), 0o644).catch(() => undefined)
  return withCatalogLockOnce(to, { access: 'READ_WRITE', waitMs }, async (session) => {
    await checkVersions(session, to)
    if (walBytes(to) > 0) await session.fold()
    return readContents(session)
  })
}

/** Turns errors of the file system while a copy is written into errors about the copy. */
export async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ChainlakeError || !(error instanceof Error)) throw error
    throw new StorageError(`The copy of the catalog cannot be written: ${error.message}`, {
      code: diskRefusal(error, path)?.code ?? 'storage.copy',
      details: { path },
      hint: 'Nothing was changed. Choose a folder that this user may write to, on a disk with free space.',
      cause: error,
    })
  }
}

export async function removeCatalog(file: string): Promise<void> {
  await rm(file, { force: true })
  await rm(walFile(file), { force: true })
}

export async function digestOf(file: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return { bytes: (await stat(file)).size, sha256: hash.digest('hex') }
}
