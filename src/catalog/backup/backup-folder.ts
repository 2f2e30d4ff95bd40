import { readdir, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { z } from 'zod'
import { ConfigError } from '../../errors.ts'
import { makeFolders } from '../../lib/files/make-folders.ts'
import { inDataFolder } from '../../store/data-file-path.ts'
import { type LakePaths, refuseQuestionMark } from '../place/paths.ts'

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
export const factsDraft = '.backup.json.new'
const catalogName = /^catalog-\d+-\d{8}T\d{9}Z\.ducklake$/

/** The file name of the catalog in a backup. It is unique. */
export function backupCatalogName(snapshotId: number, takenAt: Date): string {
  return `catalog-${snapshotId}-${takenAt.toISOString().replaceAll(/[-:.]/g, '')}.ducklake`
}

/** The catalogs of backups in a folder: the current one, and those of backups that crashed. */
export async function backupCatalogs(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => catalogName.test(name))
}

/**
 * Creates the folder of a backup, or opens it if it is empty or contains a backup. Returns its absolute path.
 *
 * @throws ConfigError `backup.folder` for other folders, and for folders inside the data of the lake.
 */
export async function openBackupFolder(dir: string, paths: LakePaths): Promise<string> {
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
