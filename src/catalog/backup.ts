import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, link, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { z } from 'zod'
import {
  CatalogError,
  ChainlakeError,
  ConfigError,
  LockedError,
  OtherSourceError,
  StorageError,
  UnknownVersionError,
} from '../errors.ts'
import { copyToNew, diskRefusal, fileDigest, makeFolders, replaceFile, syncFile, syncFolder } from '../lib/files.ts'
import { packageVersion } from '../lib/package.ts'
import { reachStep } from '../lib/step.ts'
import { refuseUrl } from '../lib/text.ts'
import { inDataFolder, readDataFileName } from '../store/data-file-path.ts'
import type { Store } from '../store/store.ts'
import {
  type Access,
  copyHeld,
  walBytes,
  walFile,
  withCatalogLock,
  withCatalogLockOnce,
} from './duckdb/catalog-lock.ts'
import { buildCatalog, folderLocks, newCatalogPrefix } from './duckdb/duckdb-file.ts'
import { readVisibleFiles } from './files.ts'
import { findLake, lakePaths, withStorage } from './lake.ts'
import { findLost, forgetStaged, lostError, readEarlierFiles } from './lost-files.ts'
import {
  keptCatalogName,
  type LakeLocation,
  type LakePaths,
  readStorage,
  refuseQuestionMark,
  relocate,
} from './place.ts'
import { ownerOfLock, restoredOutcome } from './runs.ts'
import { chainlakeTables, checkVersions, ducklakeTables, upgrade } from './schema.ts'
import { type Cell, changeOnce, latestSnapshot, type Session } from './session.ts'

type BackupOptions = {
  readonly lake: LakeLocation
  /** Created if it is missing. The new backup replaces an earlier one in it when it is complete. */
  readonly dir: string
  /** How long to wait for the catalog lock, in milliseconds; default 60,000. */
  readonly waitMs?: number
}

const draftPrefix = '.catalog-'
const abandonedAfterMs = 3_600_000

/**
 * Copies the catalog of a lake. Runs may commit meanwhile. It does not copy data files, because they never change. All files in the catalog
 * must exist with the right sizes.
 *
 * @throws VerifyError `verify.files`; ConfigError `backup.folder`, `lake.missing`; StorageError; CatalogError. An earlier backup is unchanged
 * then.
 */
export async function backUpLake({ lake, dir, waitMs = 60_000 }: BackupOptions) {
  const there = lakePaths(lake)
  if (!(await there.endpoint.exists(there)))
    throw new ConfigError('The lake to back up does not exist.', {
      code: 'lake.missing',
      details: { folder: there.lake },
      hint: 'Set --lake to the folder of a lake.',
    })
  const paths = await findLake(lake, { waitMs })
  const folder = await writing(dir, () => openBackupFolder(dir, paths))
  const replaced = await readBackupFacts(folder)
  // The current catalog, and those of backups that crashed.
  const before = (await readdir(folder)).filter((name) => catalogName.test(name))
  const draft = join(folder, `${draftPrefix}${randomUUID()}.ducklake`)
  try {
    reachStep('backup.before-copy')
    const takenAt = new Date()
    const contents = await copyOf(paths, draft, waitMs)
    const lost = await findLost(paths.store, contents.files)
    if (lost.length > 0) throw lostError(paths.lake, lost, 'The lake cannot be backed up: ')
    reachStep('backup.after-copy')
    const file = backupCatalogName(contents.snapshot.snapshotId, takenAt)
    const facts: BackupFacts = {
      format: 1,
      chainlakeVersion: packageVersion(),
      takenAt: takenAt.toISOString(),
      lake: paths.lake,
      ...contents.snapshot,
      catalog: { file, ...(await digestOf(draft)) },
      files: contents.files.length,
      bytes: contents.files.reduce((sum, { bytes }) => sum + bytes, 0),
    }
    await writing(folder, () => putInPlace(folder, draft, facts))
    for (const name of before) if (name !== file) await removeCatalog(join(folder, name))
    await removeAbandoned(folder)
    // The data files that the backup references are in a folder, or at an S3 address.
    return { folder, facts, replaced, data: paths.store.address('data') }
  } finally {
    await removeCatalog(draft)
  }
}

/** Writes the current catalog of a lake to a new DuckDB file. */
export async function copyLakeCatalog(lake: LakeLocation, file: string): Promise<void> {
  await copyOf(await findLake(lake, { waitMs: 60_000 }), file, 60_000)
}

/** Copies the catalog of any backend, as of one moment, to a DuckDB file. */
async function copyOf(paths: LakePaths, draft: string, waitMs: number): Promise<CatalogContents> {
  if (paths.endpoint.inFolder) return copyCatalog(paths.catalog, draft, waitMs)
  const backend = await paths.endpoint.open(paths, { waitMs })
  return backend.read(async (session) => {
    await checkVersions(session, backend.name)
    await writing(draft, () => copyToFile(session, draft))
    return readContents(session)
  })
}

/** Adds the new catalog to the folder, then replaces `backup.json`, which names the current catalog. */
async function putInPlace(folder: string, draft: string, facts: BackupFacts): Promise<void> {
  await syncFile(draft)
  await rename(draft, join(folder, facts.catalog.file))
  await syncFolder(folder)
  reachStep('backup.after-catalog-rename')
  await replaceFile(join(folder, factsFile), `${JSON.stringify(facts, null, 2)}\n`)
  reachStep('backup.after-facts-rename')
}

/** Removes the drafts of crashed backups. The draft of a running backup is younger. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (![draftPrefix, `.${factsFile}.`].some((start) => name.startsWith(start))) continue
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (Date.now() - mtimeMs > abandonedAfterMs) await rm(path, { force: true })
  }
}

/** Contents of `backup.json`: the origin of a backup, and what a restore needs. */
type BackupFacts = z.infer<typeof factsSchema>

const count = z.number().int().nonnegative()
const factsSchema = z.object({
  format: z.literal(1),
  chainlakeVersion: z.string(),
  takenAt: z.string(),
  /** The folder of the lake. */
  lake: z.string(),
  lakeId: z.string(),
  snapshotId: count,
  /** The run of the snapshot; null for an empty lake. */
  runId: z.string().nullable(),
  catalog: z.object({ file: z.string().regex(/^[\w.-]+$/), bytes: count, sha256: z.string() }),
  /** Number of data files in the catalog. A backup does not copy them. */
  files: count,
  bytes: count,
})

const factsFile = 'backup.json'
const catalogName = /^catalog-\d+-\d{8}T\d{9}Z\.ducklake$/

/** The file name of the catalog in a backup. It is unique. */
function backupCatalogName(snapshotId: number, takenAt: Date): string {
  return `catalog-${snapshotId}-${takenAt.toISOString().replaceAll(/[-:.]/g, '')}.ducklake`
}

const copyHint = 'Give a folder on this machine. Copy it to a bucket, or from it, with the tools of the bucket.'

/**
 * Creates the folder of a backup, or opens it if it is empty or contains a backup. Returns its absolute path.
 *
 * @throws ConfigError `backup.folder` for other folders, and for folders inside the data of the lake.
 */
async function openBackupFolder(dir: string, paths: LakePaths): Promise<string> {
  refuseUrl('The place of a backup', dir, { code: 'backup.folder', hint: copyHint })
  const folder = resolve(dir)
  refuseQuestionMark(folder)
  const place = await realPlace(folder)
  for (const own of [paths.store.url(inDataFolder('')), paths.locks]) {
    if (!isInside(await realPlace(own), place)) continue
    throw new ConfigError('The backup folder is inside a folder that the lake uses for its own files.', {
      code: 'backup.folder',
      details: { folder },
      hint: 'Choose another folder, preferably on another disk.',
    })
  }
  await makeFolders(folder)
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.'))
  if (names.length > 0 && !names.includes(factsFile) && !names.every((name) => catalogName.test(name)))
    throw new ConfigError('The folder is not empty and contains no backup.', {
      code: 'backup.folder',
      details: { folder, 'it holds': names.slice(0, 5).join(', ') },
      hint: 'Choose an empty or new folder, or the folder of an earlier backup. The new backup replaces the earlier one.',
    })
  return folder
}

/** Reads the facts of the backup in a folder; null if there is none or it is unreadable. */
async function readBackupFacts(folder: string): Promise<BackupFacts | null> {
  try {
    return factsSchema.parse(JSON.parse(await readFile(join(folder, factsFile), 'utf8')))
  } catch {
    return null
  }
}

function isInside(folder: string, path: string): boolean {
  return !relative(folder, path).startsWith('..')
}

/** Resolves links in a path that may not exist yet. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(await realPlace(above), basename(path))
  }
}

type RestoreOptions = {
  readonly lake: LakeLocation
  /** A folder that `backUpLake` has written, or a catalog file. */
  readonly source: string
  /** Whether to restore a catalog although files that it names are missing. `repair` then removes them from it. Default `refused`. */
  readonly losses?: 'refused' | 'accepted'
  /** How long to wait for the catalog lock, in milliseconds; default 60,000. */
  readonly waitMs?: number
}

const lostHint =
  "Bring the files back from a copy of the lake's folder data/, or restore another backup: an older one may not name them. If the files are lost for good, restore with --with-losses and then run chainlake repair, so that the next run fetches their rows again."

/**
 * Replaces the catalog of the lake by that of a backup, and keeps the previous one under another name. It does not change the views.
 *
 * @throws LockedError while a run is alive; ConfigError `restore.source`, `lake.missing`; OtherSourceError for the backup of another lake;
 * CatalogError `backup.damaged`; VerifyError `verify.files` when files that the backup names are missing; StorageError. Nothing is changed then.
 */
export async function restoreCatalog(options: RestoreOptions) {
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
      return {
        /** The catalog file that was restored. */
        source: file,
        facts,
        contents,
        /** The previous catalog; null if it was missing or unreadable. */
        before: present?.contents ?? null,
        /** Files in the lake that keep the previous catalog. */
        kept,
        /** Files that the restored catalog names, but that are missing or have another size. */
        lost,
        /** Files under `data/` that no snapshot of the restored catalog references. */
        unnamed,
      }
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
    // Some file systems have no hard links, and some systems forbid links to files of other users.
    await link(file, as).catch(() => copyToNew(file, as, 0))
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
  refuseUrl('The backup', source, { code: 'restore.source', hint: copyHint })
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
  const observations = await session.rows('SELECT observation_id FROM chainlake.observation WHERE outcome IS NULL')
  await forgetStaged(
    session,
    observations.map((row) => row['observation_id']),
  )
  const writers = unnamed.flatMap(({ path }) => readDataFileName(path.slice(path.lastIndexOf('/') + 1))?.runId ?? [])
  await changeOnce(
    session,
    'UPDATE chainlake.run SET ended = coalesce(ended, now()), outcome = $2 WHERE ended IS NULL OR run_id = ANY($1)',
    [[...new Set(writers)], restoredOutcome],
  )
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

type CatalogContents = Awaited<ReturnType<typeof readContents>>

/** The contents of a catalog that a backup needs. */
async function readContents(session: Session) {
  return {
    snapshot: await latestSnapshot(session),
    files: await readVisibleFiles(session),
    /** Replaced files: earlier snapshots show them, or they wait for removal. */
    earlier: await readEarlierFiles(session),
    /** Null: the data files are in the folder of the lake. */
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

async function removeCatalog(file: string): Promise<void> {
  await rm(file, { force: true })
  await rm(walFile(file), { force: true })
}

async function digestOf(file: string): Promise<{ bytes: number; sha256: string }> {
  return { bytes: (await stat(file)).size, sha256: await fileDigest(file) }
}

const rowsAtOnce = 20_000

/** Copies the catalog of a server session, which sees one moment, to a new DuckDB file. */
function copyToFile(from: Session, file: string): Promise<void> {
  return buildCatalog(file, async (to) => {
    await to.run('CREATE SCHEMA chainlake')
    for (const [schema, tables] of [
      ['main', ducklakeTables],
      ['chainlake', chainlakeTables],
    ] as const)
      for (const [name, declared] of Object.entries(tables)) {
        await to.run(`CREATE TABLE ${schema}.${name}(${declared})`)
        await copyTable(from, to, { schema, name, columns: declared.split(', ').map(columnOf) })
      }
  })
}

type Column = { readonly name: string; readonly type: string }
type CopiedTable = { readonly schema: string; readonly name: string; readonly columns: readonly Column[] }

/** Keeps the order of rows: `chainlake.file` has row ids, all other tables are sorted by their columns. */
async function copyTable(from: Session, to: Session, { schema, name, columns }: CopiedTable): Promise<void> {
  const selected = columns.map(({ name, type }) =>
    isPlain(type) || type === 'VARCHAR[]' ? `"${name}"` : `"${name}"::VARCHAR AS "${name}"`,
  )
  const order =
    name === 'file' && schema === 'chainlake' ? 'rowid' : columns.map((_, position) => position + 1).join(', ')
  await from.run(
    `DECLARE rows_of_table CURSOR FOR SELECT ${selected.join(', ')} FROM ${schema}.${name} ORDER BY ${order}`,
  )
  const values = columns.map(({ type }, position) => (isPlain(type) ? `$${position + 1}` : `$${position + 1}::${type}`))
  for (;;) {
    const rows = await from.rows(`FETCH ${rowsAtOnce} FROM rows_of_table`)
    if (rows.length === 0) break
    const cells = rows.map((row) => columns.map((column) => row[column.name] as Cell))
    if (columns.every(({ type }) => isPlain(type))) await to.append(schema, name, cells)
    else for (const row of cells) await to.run(`INSERT INTO ${schema}.${name} VALUES (${values.join(', ')})`, row)
  }
  await from.run('CLOSE rows_of_table')
}

/** A declared column, such as `"key" VARCHAR NOT NULL`. */
function columnOf(declared: string): Column {
  const [, name = '', type = ''] = /^"?(\w+)"? (.+?)(?: NOT NULL| PRIMARY KEY)?$/.exec(declared) ?? []
  return { name, type }
}

function isPlain(type: string): boolean {
  return ['VARCHAR', 'BIGINT', 'BOOLEAN'].includes(type)
}
