import { realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { CatalogError, ChainlakeError, ConfigError, StorageError, UnknownVersionError } from '../../errors.ts'
import { type CatalogContents, copyCatalog, digestOf } from '../duckdb/copy-catalog.ts'
import { type LakePaths, refuseQuestionMark } from '../place/paths.ts'
import { type BackupFacts, factsFile, readBackupFacts } from './backup-folder.ts'

/** What a lake is restored from. */
export type BackupSource = {
  /** A catalog file; absolute. */
  readonly file: string
  /** Null for a catalog that is no part of a backup, such as `lake.ducklake`. */
  readonly facts: BackupFacts | null
}

/**
 * Finds the catalog that a folder of `chainlake backup`, or the path of a catalog file, names.
 *
 * @throws ConfigError `restore.source`.
 */
export async function findBackup(source: string, paths: LakePaths): Promise<BackupSource> {
  const path = resolve(source)
  refuseQuestionMark(path)
  const found = await stat(path).catch(() => null)
  if (found === null) throw noSource('There is nothing to restore from.', { path })
  if (!found.isDirectory()) {
    if ((await realpath(path)) === (await realpath(paths.catalog).catch(() => null)))
      throw noSource('This is the present catalog of the lake itself.', { path })
    return { file: path, facts: null }
  }
  const facts = await readBackupFacts(path)
  if (facts === null) throw noSource(`The folder holds no backup: ${factsFile} is missing or cannot be read.`, { path })
  return { file: join(path, facts.catalog.file), facts }
}

function noSource(message: string, details: { path: string }): ConfigError {
  return new ConfigError(message, {
    code: 'restore.source',
    details,
    hint: 'Give a folder that chainlake backup has written, or the path of a catalog file, such as lake.ducklake of the lake. Nothing was changed.',
  })
}

/**
 * Copies the catalog of a backup to a file that is not there yet, and checks the copy.
 *
 * @throws CatalogError `backup.damaged`; UnknownVersionError.
 */
export async function fetchBackup({ file, facts }: BackupSource, to: string, waitMs: number): Promise<CatalogContents> {
  if (facts !== null) {
    const { bytes, sha256 } = await digestOf(file).catch(() => ({ bytes: 0, sha256: 'none: it cannot be read' }))
    if (sha256 !== facts.catalog.sha256)
      throw damaged(file, { bytes, 'bytes at the backup': facts.catalog.bytes, sha256, expected: facts.catalog.sha256 })
  }
  const contents = await copyCatalog(file, to, waitMs).catch((error: unknown) => {
    if (!(error instanceof ChainlakeError) || error instanceof StorageError || error instanceof UnknownVersionError)
      throw error
    throw error.code === 'catalog.locked' ? error : damaged(file, { ...error.details, reason: error.message }, error)
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
    hint: 'Nothing was changed. Give another backup, or lake.ducklake of the lake: a copy of the catalog as of the last publishing.',
    cause,
  })
}
