import { readdir, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { z } from 'zod'
import { ConfigError } from '../../errors.ts'
import { makeFolders } from '../../lib/files/make-folders.ts'
import { inDataFolder } from '../../store/data-file-path.ts'
import { type LakePaths, refuseQuestionMark } from '../place/paths.ts'

/** `backup.json`: what a backup is of, and what must be there to restore it. */
export type BackupFacts = z.infer<typeof factsSchema>

const count = z.number().int().nonnegative()
const factsSchema = z.object({
  format: z.literal(1),
  chainlakeVersion: z.string(),
  takenAt: z.string(),
  /** Where the lake was. */
  lake: z.string(),
  lakeId: z.string(),
  snapshotId: count,
  /** The run of the snapshot; null for an empty lake. */
  runId: z.string().nullable(),
  catalog: z.object({ file: z.string().regex(/^[\w.-]+$/), bytes: count, sha256: z.string() }),
  /** The data files that the catalog names. They are not copied. */
  files: count,
  bytes: count,
})

export const factsFile = 'backup.json'
export const factsDraft = '.backup.json.new'
const catalogName = /^catalog-\d+-\d{8}T\d{9}Z\.ducklake$/

/** Name of the catalog in a backup; never that of another one. */
export function backupCatalogName(snapshotId: number, takenAt: Date): string {
  return `catalog-${snapshotId}-${takenAt.toISOString().replaceAll(/[-:.]/g, '')}.ducklake`
}

/** The catalogs of backups in a folder: that of the present one, and what died before it took its place. */
export async function backupCatalogs(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => catalogName.test(name))
}

/**
 * Makes the folder of a backup, or opens it: an empty one, or one that holds a backup. Returns its absolute path.
 *
 * @throws ConfigError `backup.folder` for any other, and for one inside of the lake's own.
 */
export async function openBackupFolder(dir: string, paths: LakePaths): Promise<string> {
  const folder = resolve(dir)
  refuseQuestionMark(folder)
  const place = await realPlace(folder)
  for (const own of [paths.store.url(inDataFolder('')), paths.locks]) {
    if (!isInside(await realPlace(own), place)) continue
    throw new ConfigError('A backup cannot lie in a folder that the lake keeps its own files in.', {
      code: 'backup.folder',
      details: { folder },
      hint: 'Give a folder elsewhere, best on another disk.',
    })
  }
  await makeFolders(folder)
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.'))
  if (names.length > 0 && !names.includes(factsFile) && !names.every((name) => catalogName.test(name)))
    throw new ConfigError('The folder is not empty and holds no backup.', {
      code: 'backup.folder',
      details: { folder, 'it holds': names.slice(0, 5).join(', ') },
      hint: 'Give an empty or new folder, or that of an earlier backup, which is then replaced.',
    })
  return folder
}

/** What the backup in a folder says of itself; null when there is none that can be read. */
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

/** Where a path leads that may not be there yet. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(await realPlace(above), basename(path))
  }
}
