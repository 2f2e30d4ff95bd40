import { randomUUID } from 'node:crypto'
import { readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { z } from 'zod'
import { ConfigError } from '../errors.ts'
import { makeFolders, replaceFile, syncFile, syncFolder } from '../lib/files.ts'
import { reachStep } from '../lib/step.ts'
import { inDataFolder } from '../store/data-file-path.ts'
import {
  type CatalogContents,
  copyCatalog,
  copyToFile,
  digestOf,
  readContents,
  removeCatalog,
  writing,
} from './duckdb/copy-catalog.ts'
import { findLake, lakePaths } from './lake.ts'
import { findLost, lostError } from './lost-files.ts'
import { type LakeLocation, type LakePaths, refuseQuestionMark } from './place.ts'
import { checkVersions } from './schema.ts'

type BackupOptions = {
  readonly lake: LakeLocation
  /** Created if it is missing. The new backup replaces an earlier one in it when it is complete. */
  readonly dir: string
  readonly chainlakeVersion: string
  /** How long to wait for the catalog lock, in milliseconds; default 60,000. */
  readonly waitMs?: number
}

const draftPrefix = '.catalog-'
const abandonedAfterMs = 3_600_000

export type Backup = {
  readonly folder: string
  readonly facts: BackupFacts
  readonly replaced: BackupFacts | null
  /** Location of the data files that the backup references: a folder or an S3 address. */
  readonly data: string
}

/**
 * Copies the catalog of a lake. Runs may commit meanwhile. It does not copy data files, because they never change. All files in the catalog
 * must exist with the right sizes.
 *
 * @throws VerifyError `verify.files`; ConfigError `backup.folder`, `lake.missing`; StorageError; CatalogError. An earlier backup is unchanged
 * then.
 */
export async function backUpLake({ lake, dir, chainlakeVersion, waitMs = 60_000 }: BackupOptions): Promise<Backup> {
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
  const before = await backupCatalogs(folder)
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
      chainlakeVersion,
      takenAt: takenAt.toISOString(),
      lake: paths.lake,
      ...contents.snapshot,
      catalog: { file, ...(await digestOf(draft)) },
      ...sumOf(contents),
    }
    await writing(folder, () => putInPlace(folder, draft, facts))
    for (const name of before) if (name !== file) await removeCatalog(join(folder, name))
    await removeAbandoned(folder)
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

function sumOf({ files }: CatalogContents): { files: number; bytes: number } {
  return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }
}

/** Contents of `backup.json`: the origin of a backup, and what a restore needs. */
export type BackupFacts = z.infer<typeof factsSchema>

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

export const factsFile = 'backup.json'
const catalogName = /^catalog-\d+-\d{8}T\d{9}Z\.ducklake$/

/** The file name of the catalog in a backup. It is unique. */
function backupCatalogName(snapshotId: number, takenAt: Date): string {
  return `catalog-${snapshotId}-${takenAt.toISOString().replaceAll(/[-:.]/g, '')}.ducklake`
}

/** The catalogs of backups in a folder: the current one, and those of backups that crashed. */
async function backupCatalogs(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => catalogName.test(name))
}

/**
 * Creates the folder of a backup, or opens it if it is empty or contains a backup. Returns its absolute path.
 *
 * @throws ConfigError `backup.folder` for other folders, and for folders inside the data of the lake.
 */
async function openBackupFolder(dir: string, paths: LakePaths): Promise<string> {
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
export async function readBackupFacts(folder: string): Promise<BackupFacts | null> {
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
