import { realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { CatalogError, ChainlakeError, ConfigError, StorageError, UnknownVersionError } from '../../errors.ts'
import { type CatalogContents, copyCatalog, digestOf } from '../duckdb/copy-catalog.ts'
import { type LakePaths, refuseQuestionMark } from '../place/paths.ts'
import { type BackupFacts, factsFile, readBackupFacts } from './backup-folder.ts'

/** The source of a restore. */
export type BackupSource = {
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
export async function findBackup(source: string, paths: LakePaths): Promise<BackupSource> {
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
    hint: 'Nothing was changed. Use another backup, or lake.ducklake of the lake, the copy of the catalog from the last publishing.',
    cause,
  })
}
