import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, realpath, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import {
  CatalogError,
  ChainlakeError,
  ConfigError,
  LockedError,
  OtherSourceError,
  StorageError,
  UnknownVersionError,
} from '../errors.ts'
import { copyToNew, syncFolder } from '../lib/files.ts'
import { reachStep } from '../lib/step.ts'
import { inDataFolder, readDataFileName } from '../store/data-file-path.ts'
import type { Store } from '../store/store.ts'
import { type BackupFacts, factsFile, readBackupFacts } from './backup.ts'
import { type Access, walFile, withCatalogLock, withCatalogLockOnce } from './duckdb/catalog-lock.ts'
import {
  type CatalogContents,
  copyCatalog,
  digestOf,
  readContents,
  removeCatalog,
  writing,
} from './duckdb/copy-catalog.ts'
import { folderLocks, newCatalogPrefix } from './duckdb/duckdb-file.ts'
import { lakePaths, withStorage } from './lake.ts'
import { findLost, forgetStaged, type LostFile, lostError } from './lost-files.ts'
import { keptCatalogName, type LakeLocation, type LakePaths, refuseQuestionMark, relocate } from './place.ts'
import { ownerOfLock, restoredOutcome } from './runs.ts'
import { checkVersions, upgrade } from './schema.ts'
import { inTransaction, type Session } from './session.ts'

export type RestoreOptions = {
  readonly lake: LakeLocation
  /** A folder that `backUpLake` has written, or a catalog file. */
  readonly source: string
  /** Whether to restore a catalog although files that it names are missing. `repair` then removes them from it. Default `refused`. */
  readonly losses?: 'refused' | 'accepted'
  /** How long to wait for the catalog lock, in milliseconds; default 60,000. */
  readonly waitMs?: number
}

export type Restored = {
  /** The catalog file that was restored. */
  readonly source: string
  readonly facts: BackupFacts | null
  readonly contents: CatalogContents
  /** The previous catalog; null if it was missing or unreadable. */
  readonly before: CatalogContents | null
  /** Files in the lake that keep the previous catalog. */
  readonly kept: readonly string[]
  /** Files that the restored catalog names, but that are missing or have another size. */
  readonly lost: readonly LostFile[]
  /** Files under `data/` that no snapshot of the restored catalog references. */
  readonly unnamed: readonly UnnamedFile[]
}

const lostHint =
  "Bring the files back from a copy of the lake's folder data/, or restore another backup: an older one may not name them. If the files are lost for good, restore with --with-losses and then run chainlake repair, so that the next run fetches their rows again."

/**
 * Replaces the catalog of the lake by that of a backup, and keeps the previous one under another name. It does not change the views.
 *
 * @throws LockedError while a run is alive; ConfigError `restore.source`, `lake.missing`; OtherSourceError for the backup of another lake;
 * CatalogError `backup.damaged`; VerifyError `verify.files` when files that the backup names are missing; StorageError. Nothing is changed then.
 */
export async function restoreCatalog(options: RestoreOptions): Promise<Restored> {
  const { lake, source, losses = 'refused', waitMs = 60_000 } = options
  const folder = lakePaths(lake)
  if (!folder.endpoint.inFolder) throw notRestored(folder)
  if (!existsSync(folder.lake))
    throw new ConfigError('The folder of the lake to restore does not exist.', {
      code: 'lake.missing',
      details: { folder: folder.lake },
      hint: 'Set --lake to the folder of the lake, with its files under data/. A backup does not contain them.',
    })
  const found = await findBackup(source, folder)
  return withPresent(folder, waitMs, async (present) => {
    await refuseLiveRuns(folder)
    const draft = join(folder.lake, `${newCatalogPrefix}${randomUUID()}`)
    try {
      const contents = await fetchBackup(found, draft, waitMs)
      verifySameLake(found, contents, present?.contents ?? null)
      // The backup records the location of the data files.
      const paths = withStorage(folder, contents.storage)
      const lost = await findLost(paths.store, contents.files)
      if (lost.length > 0 && losses === 'refused')
        throw lostError(paths.lake, lost, 'The backup cannot be restored: ', lostHint)
      const named = new Set([...contents.files, ...contents.earlier].map(({ path }) => path))
      const unnamed = await findUnnamed(paths.store, named)
      await prepare(draft, paths, unnamed)
      await paths.store.claim({ lake: contents.snapshot.lakeId, run: null, knows: () => true })
      reachStep('restore.before-keep')
      const kept = await writing(paths.lake, () => replace(paths, draft, present))
      const { file, facts } = found
      return { source: file, facts, contents, before: present?.contents ?? null, kept, lost, unnamed }
    } finally {
      await removeCatalog(draft)
    }
  })
}

function notRestored({ lake }: LakePaths): ConfigError {
  return new ConfigError('chainlake cannot restore a catalog in PostgreSQL.', {
    code: 'restore.postgres',
    details: { lake },
    hint: 'Restore the database with the tools of PostgreSQL (pg_restore, or its archive), then run chainlake verify to check that all data files exist. Or restore the backup to a lake with a catalog file: run chainlake restore with another --lake if the data files are in S3, or remove catalog.json from this folder.',
  })
}

type Present = { readonly session: Session; readonly access: Access; readonly contents: CatalogContents }

/**
 * Calls `use` under the lock of the present catalog. Passes null if the catalog is missing or unreadable: no other process can use it
 * either. If this user may only read the catalog, a shared lock keeps writers out.
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

/** Throws while a run, or another process that works on the lake, is alive: each of them holds a lock. */
async function refuseLiveRuns(paths: LakePaths): Promise<void> {
  const [name] = await folderLocks(paths.locks).held()
  if (name === undefined) return
  throw new LockedError('A run is active on this lake.', {
    details: { lake: paths.lake, run: ownerOfLock(name) },
    hint: 'Nothing was changed. End that run (chainlake status shows its process), then restore.',
  })
}

function verifySameLake({ file, facts }: BackupSource, backup: CatalogContents, present: CatalogContents | null): void {
  if (present === null || present.snapshot.lakeId === backup.snapshot.lakeId) return
  throw new OtherSourceError('The backup belongs to another lake.', {
    code: 'restore.other-lake',
    details: {
      backup: file,
      'lake of the backup': facts?.lake,
      'its id': backup.snapshot.lakeId,
      'id of this lake': present.snapshot.lakeId,
    },
    hint: 'Nothing was changed. Set --lake to the lake of the backup. To replace this catalog anyway, move catalog.ducklake away first.',
  })
}

/** Prepares the copy as the catalog of this lake. Later runs must not remove files that only the replaced catalog references. */
async function prepare(draft: string, paths: LakePaths, unnamed: readonly UnnamedFile[]): Promise<void> {
  await withCatalogLockOnce(draft, { access: 'READ_WRITE', waitMs: 0 }, async (session) => {
    await upgrade(session, await checkVersions(session, draft))
    await setAside(session, unnamed)
    await relocate(session, paths)
    await session.fold()
  })
}

/** Keeps the present catalog under other names, which it returns, and renames the draft to the final name. */
async function replace(paths: LakePaths, draft: string, present: Present | null): Promise<string[]> {
  // Folds the write-ahead file, so that one file is kept.
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
  // If the catalog is unreadable, the published copy may be the newest readable one, and publishing would replace it.
  if (present === null) await keep(paths.published, keptCatalogName(paths.published, time))
  await syncFolder(paths.lake)
  reachStep('restore.after-keep')
  // Must happen before the rename: DuckDB would replay it into the restored catalog.
  await rm(walFile(paths.catalog), { force: true })
  await rename(draft, paths.catalog)
  await syncFolder(paths.lake)
  reachStep('restore.after-rename')
  return kept
}

async function linkOrCopy(file: string, as: string): Promise<void> {
  // Some file systems have no hard links, and some systems forbid links to files of other users.
  await link(file, as).catch(() => copyToNew(file, as, 0))
}

/** The source of a restore. */
type BackupSource = {
  /** A catalog file; absolute. */
  readonly file: string
  /** Null for a catalog file that is not part of a backup, such as `lake.ducklake`. */
  readonly facts: BackupFacts | null
}

/**
 * Finds the catalog to restore. `source` is a folder of `chainlake backup` or a catalog file.
 *
 * @throws ConfigError `restore.source`.
 */
async function findBackup(source: string, paths: LakePaths): Promise<BackupSource> {
  const path = resolve(source)
  refuseQuestionMark(path)
  const found = await stat(path).catch(() => null)
  if (found === null) throw noSource('The backup does not exist.', { path })
  if (!found.isDirectory()) {
    if ((await realpath(path)) === (await realpath(paths.catalog).catch(() => null)))
      throw noSource('The file is the current catalog of the lake itself.', { path })
    return { file: path, facts: null }
  }
  const facts = await readBackupFacts(path)
  if (facts === null) throw noSource(`The folder contains no backup: ${factsFile} is missing or unreadable.`, { path })
  return { file: join(path, facts.catalog.file), facts }
}

function noSource(message: string, details: { path: string }): ConfigError {
  return new ConfigError(message, {
    code: 'restore.source',
    details,
    hint: 'Nothing was changed. Use a folder that chainlake backup has written, or a catalog file, such as lake.ducklake of the lake.',
  })
}

/**
 * Copies the catalog of a backup to a new file and verifies the copy.
 *
 * @throws CatalogError `backup.damaged`; UnknownVersionError.
 */
async function fetchBackup({ file, facts }: BackupSource, to: string, waitMs: number): Promise<CatalogContents> {
  if (facts !== null) {
    const { bytes, sha256 } = await digestOf(file).catch(() => ({ bytes: 0, sha256: 'none: it cannot be read' }))
    if (sha256 !== facts.catalog.sha256)
      throw damaged(file, { bytes, 'bytes at the backup': facts.catalog.bytes, sha256, expected: facts.catalog.sha256 })
  }
  const contents = await copyCatalog(file, to, waitMs).catch((error: unknown) => {
    if (!(error instanceof ChainlakeError) || error instanceof StorageError || error instanceof UnknownVersionError)
      throw error
    throw error.kind === 'held' ? error : damaged(file, { ...error.details, reason: error.message }, error)
  })
  const { lakeId, snapshotId, runId } = contents.snapshot
  if (facts !== null && (facts.lakeId !== lakeId || facts.snapshotId !== snapshotId || facts.runId !== runId))
    throw damaged(file, { snapshot: snapshotId, 'snapshot of backup.json': facts.snapshotId })
  return contents
}

function damaged(file: string, details: ChainlakeError['details'], cause?: unknown): CatalogError {
  return new CatalogError('The backup is damaged.', {
    code: 'backup.damaged',
    details: { ...details, file },
    hint: 'Nothing was changed. Use another backup, or lake.ducklake of the lake, the copy of the catalog from the last publishing.',
    cause,
  })
}

/**
 * Marks runs of a restored catalog as ended: open runs, and runs with files that this catalog does not reference. Recovery keeps the files of
 * these runs, because the replaced catalog may reference them. Open observations restart, because their files may be visible there.
 */
async function setAside(session: Session, unnamed: readonly UnnamedFile[]): Promise<void> {
  const observations = await session.rows(
    'SELECT DISTINCT observation_id FROM chainlake.observation WHERE outcome IS NULL',
  )
  await forgetStaged(
    session,
    observations.map((row) => row['observation_id']),
  )
  const writers = new Set(unnamed.map(({ path }) => readDataFileName(path.slice(path.lastIndexOf('/') + 1))?.runId))
  const runs = await session.rows('SELECT run_id, ended IS NULL AS open FROM chainlake.run')
  await inTransaction(session, async () => {
    for (const { run_id, open } of runs)
      if (open || writers.has(run_id))
        await session.run('UPDATE chainlake.run SET ended = coalesce(ended, now()), outcome = $2 WHERE run_id = $1', [
          run_id,
          restoredOutcome,
        ])
  })
}

type UnnamedFile = {
  /** Relative to the lake, with `/`. */
  readonly path: string
  readonly bytes: number
}

/** Files under `data/` that the catalog does not reference. */
async function findUnnamed(store: Store, named: ReadonlySet<string>): Promise<UnnamedFile[]> {
  const paths = (await store.list(inDataFolder(''))).filter((path) => !path.endsWith('/') && !named.has(path)).sort()
  const sizes = await store.sizes(paths)
  return paths.map((path, position) => ({ path, bytes: sizes[position] ?? 0 }))
}
