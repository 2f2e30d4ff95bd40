import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, link, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  CatalogError,
  ChainlakeError,
  ConfigError,
  LockedError,
  OtherSourceError,
  UnknownVersionError,
} from '../../errors.ts'
import { syncFolder } from '../../lib/files/sync-folder.ts'
import { keptCatalogName } from '../../lib/kept-catalog.ts'
import { reachStep } from '../../lib/step.ts'
import { type Access, withCatalogLock, withCatalogLockOnce } from '../duckdb/catalog-lock.ts'
import { type CatalogContents, readContents, removeCatalog, writing } from '../duckdb/copy-catalog.ts'
import { newCatalogPrefix } from '../duckdb/create-file.ts'
import { folderLocks } from '../duckdb/lock-file.ts'
import { walFile } from '../duckdb/write-ahead.ts'
import { findLost, lostError } from '../files/lost-files.ts'
import { findUnnamed, type UnnamedFile } from '../files/unnamed-files.ts'
import { placeOf } from '../lake/find-place.ts'
import { postgresOf } from '../place/catalog-place.ts'
import { type LakePaths, lakePaths } from '../place/paths.ts'
import { relocate } from '../place/relocate.ts'
import { ownerOfLock } from '../runs/runs.ts'
import { checkVersions, upgrade } from '../schema/versions.ts'
import type { Session } from '../session/session.ts'
import { setAside } from '../upkeep/set-aside.ts'
import type { BackupFacts } from './backup-folder.ts'
import { type BackupSource, fetchBackup, findBackup } from './backup-source.ts'

export type RestoreOptions = {
  readonly lakeDir: string
  /** A folder that `backUpLake` has written, or a catalog file. */
  readonly source: string
  /** How long another holder of a catalog is waited for, in milliseconds; default 60,000. */
  readonly waitMs?: number
}

export type Restored = {
  /** The catalog file that was restored. */
  readonly source: string
  readonly facts: BackupFacts | null
  readonly contents: CatalogContents
  /** The catalog that was there before; null when it was gone or could not be read. */
  readonly before: CatalogContents | null
  /** Copies that were kept of what was there before, in the lake. */
  readonly kept: readonly string[]
  /** Files under `data/` that no snapshot of the restored catalog names. */
  readonly unnamed: readonly UnnamedFile[]
}

/**
 * Puts the catalog of a backup in the place of the lake's. What was there is kept beside. The views are not touched.
 *
 * @throws LockedError while a run is alive; ConfigError `restore.source`, `lake.missing`; OtherSourceError for the backup of another lake;
 * CatalogError `backup.damaged`; VerifyError when files that the backup names are gone; StorageError. Nothing is changed then.
 */
export async function restoreCatalog({ lakeDir, source, waitMs = 60_000 }: RestoreOptions): Promise<Restored> {
  const folder = lakePaths(lakeDir)
  if (postgresOf(lakeDir) !== null) throw notRestored(folder)
  if (!existsSync(folder.lake))
    throw new ConfigError('There is no lake to restore.', {
      code: 'lake.missing',
      details: { folder: folder.lake },
      hint: 'Give --lake the folder of the lake, with the files under data/ in it: a backup does not hold them.',
    })
  const found = await findBackup(source, folder)
  return withPresent(folder, waitMs, async (present) => {
    await refuseAlive(folder)
    const draft = join(folder.lake, `${newCatalogPrefix}${randomUUID()}`)
    try {
      const contents = await fetchBackup(found, draft, waitMs)
      verifySameLake(found, contents, present?.contents ?? null)
      // The files are where the backup says.
      const paths = lakePaths(lakeDir, placeOf(lakeDir, contents.storage))
      const lost = await findLost(paths.store, contents.files)
      if (lost.length > 0) throw lostError(paths.lake, lost, 'Files that the backup needs are not there: ')
      const named = new Set([...contents.files.map(({ path }) => path), ...contents.earlier])
      const unnamed = await findUnnamed(paths.store, named)
      await prepare(draft, paths, unnamed)
      await paths.store.claim({ lake: contents.snapshot.lakeId, run: null, knows: () => true })
      reachStep('restore.before-keep')
      const kept = await writing(paths.lake, () => replace(paths, draft, present))
      return { source: found.file, facts: found.facts, contents, before: present?.contents ?? null, kept, unnamed }
    } finally {
      await removeCatalog(draft)
    }
  })
}

function notRestored({ lake }: LakePaths): ConfigError {
  return new ConfigError('A catalog in PostgreSQL is restored with the tools of PostgreSQL.', {
    code: 'restore.postgres',
    details: { lake },
    hint: 'Restore the database (pg_restore, or its archive) as of a moment whose files are all there: chainlake verify says whether they are. Or make a lake of the backup whose catalog is a file: chainlake restore with another --lake where the files are in S3, or in this folder without catalog.json.',
  })
}

type Present = { readonly session: Session; readonly access: Access; readonly contents: CatalogContents }

/**
 * Holds the present catalog against everybody else; null when it is gone or cannot be read, which nobody else can either. One that this
 * user may only read is held against those who write.
 */
async function withPresent<T>(
  paths: LakePaths,
  waitMs: number,
  use: (present: Present | null) => Promise<T>,
  access: Access = 'READ_WRITE',
): Promise<T> {
  let begun = false
  try {
    return await withCatalogLock(paths.catalog, { access, waitMs }, async (session) => {
      await checkVersions(session, paths.catalog)
      const contents = await readContents(session)
      begun = true
      return use({ session, access, contents })
    })
  } catch (error) {
    if (begun || !(error instanceof ChainlakeError)) throw error
    if (error.code === 'storage.read-only' && access === 'READ_WRITE')
      return withPresent(paths, waitMs, use, 'READ_ONLY')
    const isUnreadable = error instanceof CatalogError && !(error instanceof LockedError)
    if (!isUnreadable || error instanceof UnknownVersionError) throw error
    return use(null)
  }
}

/** Runs, and whoever else works on the lake, hold a lock for as long as they live. */
async function refuseAlive(paths: LakePaths): Promise<void> {
  const [name] = await folderLocks(paths.locks).held()
  if (name === undefined) return
  throw new LockedError('A run works on this lake.', {
    details: { lake: paths.lake, run: ownerOfLock(name) },
    hint: 'Nothing was changed. End it (chainlake status says which process it is), then restore.',
    retryable: true,
  })
}

function verifySameLake({ file, facts }: BackupSource, backup: CatalogContents, present: CatalogContents | null): void {
  if (present === null || present.snapshot.lakeId === backup.snapshot.lakeId) return
  throw new OtherSourceError('The backup is of another lake.', {
    code: 'restore.other-lake',
    details: {
      backup: file,
      'lake of the backup': facts?.lake,
      'its id': backup.snapshot.lakeId,
      'id of this lake': present.snapshot.lakeId,
    },
    hint: 'Nothing was changed. Give --lake the lake that the backup is of; or, if this catalog shall go, move catalog.ducklake away first.',
  })
}

/** Makes the copy the catalog of this place, from which the next runs go on without touching files that the other one names. */
async function prepare(draft: string, paths: LakePaths, unnamed: readonly UnnamedFile[]): Promise<void> {
  await withCatalogLockOnce(draft, { access: 'READ_WRITE', waitMs: 0 }, async (session) => {
    await upgrade(session, await checkVersions(session, draft))
    await setAside(session, unnamed)
    await relocate(session, paths)
    await session.fold()
  })
}

/** Keeps what is there under other names, which are returned, and renames the draft into its place. */
async function replace(paths: LakePaths, draft: string, present: Present | null): Promise<string[]> {
  // So that what is kept is one file.
  if (present?.access === 'READ_WRITE') await present.session.fold()
  const time = new Date()
  const kept: string[] = []
  const keep = async (file: string, as: string): Promise<void> => {
    if (!existsSync(file)) return
    await linkOrCopy(file, as)
    kept.push(as)
  }
  const keptCatalog = keptCatalogName(paths.catalog, time)
  await keep(paths.catalog, keptCatalog)
  await keep(walFile(paths.catalog), walFile(keptCatalog))
  // Of a catalog that cannot be read the published copy may be the newest that can, and the views are published anew.
  if (present === null) await keep(paths.published, keptCatalogName(paths.published, time))
  await syncFolder(paths.lake)
  reachStep('restore.after-keep')
  // Before the rename: beside the restored catalog it would be replayed.
  await rm(walFile(paths.catalog), { force: true })
  await rename(draft, paths.catalog)
  await syncFolder(paths.lake)
  reachStep('restore.after-rename')
  return kept
}

async function linkOrCopy(file: string, as: string): Promise<void> {
  // Not every file system has hard links, and not every system allows them to files of other users.
  await link(file, as).catch(() => copyFile(file, as))
}
