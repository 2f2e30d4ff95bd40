import { randomUUID } from 'node:crypto'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '../../errors.ts'
import { syncFile } from '../../lib/files/sync-file.ts'
import { syncFolder } from '../../lib/files/sync-folder.ts'
import { reachStep } from '../../lib/step.ts'
import {
  type CatalogContents,
  copyCatalog,
  digestOf,
  readContents,
  removeCatalog,
  writing,
} from '../duckdb/copy-catalog.ts'
import { copyToFile } from '../duckdb/copy-session.ts'
import { findLost, lostError } from '../files/lost-files.ts'
import { findLake } from '../lake/find-lake.ts'
import { lakePaths } from '../lake/lake-paths.ts'
import type { LakeLocation } from '../place/lake-location.ts'
import type { LakePaths } from '../place/paths.ts'
import { checkVersions } from '../schema/versions.ts'
import {
  type BackupFacts,
  backupCatalogName,
  backupCatalogs,
  factsDraft,
  factsFile,
  openBackupFolder,
  readBackupFacts,
} from './backup-folder.ts'

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
export async function copyLakeCatalog(lake: LakeLocation, file: string, waitMs = 60_000): Promise<void> {
  await copyOf(await findLake(lake, { waitMs }), file, waitMs)
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
  const factsPath = join(folder, factsDraft)
  await rm(factsPath, { force: true })
  const file = await open(factsPath, 'wx', 0o644)
  try {
    await file.writeFile(`${JSON.stringify(facts, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(factsPath, join(folder, factsFile))
  await syncFolder(folder)
  reachStep('backup.after-facts-rename')
}

/** Removes the drafts of crashed backups. The draft of a running backup is younger. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (!name.startsWith(draftPrefix)) continue
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (Date.now() - mtimeMs > abandonedAfterMs) await rm(path, { force: true })
  }
}

function sumOf({ files }: CatalogContents): { files: number; bytes: number } {
  return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }
}
