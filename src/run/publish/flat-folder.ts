import { lstat, mkdir, readdir, readlink, rename, rm, rmdir, symlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { CatalogError } from '../../errors.ts'
import { makeFolders } from '../../lib/files/make-folders.ts'
import { syncFolder } from '../../lib/files/sync-folder.ts'
import { reachStep } from '../../lib/step.ts'

/**
 * A folder of published Parquet files: `p_blocks` is a symbolic link to `.chainlake/p_blocks/<columns>-<run>`, a generation, which has the
 * files of the table and nothing else. A generation does not change; another one replaces it by a new link, in one step.
 */
export type Generation = {
  /** Absolute path. */
  readonly path: string
  /** Identifies the columns that its files have. */
  readonly columns: string
  readonly names: ReadonlySet<string>
}

/** Name of a file with a table's columns and no rows. */
export const withoutRows = 'no-rows'

const ownFolder = '.chainlake'
/** No program takes longer to list a folder. */
const listingMs = 60_000
const claimStart = 'lake-'
/** Names of tables; the other names in the own folder have a dash or a dot. */
const tableName = /^[a-z][a-z0-9_]*$/
/** Names of data files, of rewritten data files and of files without rows. */
const ownFile = /^(?:\d{12,}-[0-9A-Za-z]+-\d+|no-rows)(?:-[0-9a-f]{12})?\.parquet$/

/**
 * Takes a folder for a lake, and creates it. It may have other files. Of two lakes that take it at once, at most one gets it.
 *
 * @throws CatalogError `parquet.other-lake`.
 */
export async function claimFolder(folder: string, lakeId: string): Promise<void> {
  const own = join(folder, ownFolder)
  const claim = join(own, `${claimStart}${lakeId}`)
  const owners = async () =>
    (await entries(own)).filter((name) => name.startsWith(claimStart) && join(own, name) !== claim)
  if ((await owners()).length === 0) await makeFolders(claim)
  const [other] = await owners()
  if (other === undefined) {
    await syncFolder(own)
    await syncFolder(folder)
    reachStep('parquet.after-claim')
    return
  }
  await rmdir(claim).catch(ignore('ENOENT'))
  throw new CatalogError('The folder contains the tables of another lake.', {
    code: 'parquet.other-lake',
    details: { folder, 'its lake': other.slice(claimStart.length), 'this lake': lakeId },
    hint: 'Give another folder with --to, or remove this one.',
  })
}

/**
 * What readers of a table see; null before its first publication.
 *
 * @throws CatalogError `parquet.foreign` where another program has put something.
 */
export async function shownGeneration(folder: string, table: string): Promise<Generation | null> {
  const own = join(folder, ownFolder)
  for (const path of [own, join(own, table)]) await refuseLink(path, folder)
  for (const name of await entries(join(own, table))) {
    await refuseLink(join(own, table, name), folder)
    for (const file of await entries(join(own, table, name)))
      if (!ownFile.test(file)) throw foreign(join(folder, table, file), folder)
  }
  const target = await readlink(join(folder, table)).catch(ignore('ENOENT', 'EINVAL'))
  if (target === undefined) {
    if ((await entries(folder)).includes(table)) throw foreign(join(folder, table), folder)
    return null
  }
  if (dirname(target) !== `${ownFolder}/${table}`) throw foreign(join(folder, table), folder)
  const path = resolve(folder, target)
  const names = new Set(await entries(path))
  return names.size === 0 ? null : { path, columns: basename(path).split('-')[0] ?? '', names }
}

/** Refuses a link or a file in place of a folder: files behind a link, such as those of the lake, would be removed as earlier ones. */
async function refuseLink(path: string, folder: string): Promise<void> {
  const found = await lstat(path).catch(ignore('ENOENT'))
  if (found?.isDirectory() === false) throw foreign(path, folder)
}

/** Creates the folder of a new generation, which no reader sees before `showGeneration`. */
export async function newGeneration(folder: string, table: string, columns: string, runId: string): Promise<string> {
  const path = join(folder, ownFolder, table, `${columns}-${runId}`)
  await mkdir(path, { recursive: true })
  await syncFolder(join(folder, ownFolder))
  await syncFolder(dirname(path))
  return path
}

/** Shows a complete generation to readers, in one step. */
export async function showGeneration(folder: string, table: string, path: string): Promise<void> {
  await syncFolder(path)
  const draft = join(folder, ownFolder, `.${table}`)
  await rm(draft, { force: true })
  await symlink(`${ownFolder}/${table}/${basename(path)}`, draft, 'dir')
  reachStep('parquet.before-switch')
  await rename(draft, join(folder, table))
  await syncFolder(folder)
  reachStep('parquet.after-switch')
}

/**
 * Removes the generations of a table that readers have not seen for a while, also incomplete ones. Earlier a program may still be listing one:
 * it would get a part of the files.
 */
export async function removeUnseen(folder: string, table: string, nowMs: number): Promise<void> {
  const link = await lstat(join(folder, table)).catch(ignore('ENOENT'))
  if (link !== undefined && link.mtimeMs > nowMs - listingMs) return
  const seen = link === undefined ? undefined : basename(await readlink(join(folder, table)))
  await rm(join(folder, ownFolder, `.${table}`), { force: true })
  for (const name of await entries(join(folder, ownFolder, table))) {
    if (name === seen) continue
    await removeGeneration(join(folder, ownFolder, table, name))
    reachStep('parquet.after-removal')
  }
}

/** Removes the files of a generation that readers do not see. */
export async function removeGeneration(path: string): Promise<void> {
  for (const file of (await entries(path)).filter((each) => ownFile.test(each))) await rm(join(path, file))
  await rmdir(path).catch(ignore('ENOENT'))
}

/**
 * Removes tables that the lake does not have any more, for example since it was restored from a backup: first the link, and with the next
 * publication the files.
 */
export async function removeOthers(folder: string, tables: ReadonlySet<string>): Promise<void> {
  const known = (await entries(join(folder, ownFolder))).filter((name) => tableName.test(name))
  for (const table of known.filter((name) => !tables.has(name))) {
    await shownGeneration(folder, table)
    if ((await entries(folder)).includes(table)) {
      await rm(join(folder, table))
      continue
    }
    for (const name of await entries(join(folder, ownFolder, table)))
      await removeGeneration(join(folder, ownFolder, table, name))
    await rmdir(join(folder, ownFolder, table))
  }
}

async function entries(path: string): Promise<string[]> {
  return (await readdir(path).catch(ignore('ENOENT'))) ?? []
}

/** Resolves to undefined for these errors of the file system. */
function ignore(...codes: readonly string[]): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (!codes.includes(error.code ?? '')) throw error
  }
}

function foreign(path: string, folder: string): CatalogError {
  return new CatalogError('In the folder of published tables is something that chainlake did not put there.', {
    code: 'parquet.foreign',
    details: { folder, found: path },
    hint: 'Nothing was changed. Move it elsewhere and publish again, or give another folder with --to.',
  })
}
