import { hash } from 'node:crypto'
import { constants, statSync } from 'node:fs'
import { link, lstat, mkdir, open, readdir, readlink, rename, rm, rmdir, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { findLost, lostError } from '../../catalog/lost-files.ts'
import type { LakeLocation } from '../../catalog/place.ts'
import { catalogColumns } from '../../catalog/schema.ts'
import type { Table } from '../../define/index.ts'
import { CatalogError, ConfigError, VerifyError } from '../../errors.ts'
import { sumOf } from '../../lib/arrays.ts'
import { copyToNew, lostFilesHint, makeFolders, syncFile, syncFolder } from '../../lib/files.ts'
import { reachStep } from '../../lib/step.ts'
import { refuseUrl } from '../../lib/text.ts'
import { type Copier, openCopier } from '../../lookup/copy-files.ts'
import type { CatalogFile } from '../../model.ts'
import { openFolderStore } from '../../store/folder-store.ts'
import type { Store } from '../../store/store.ts'
import { type FileColumn, readFooter } from '../../write/footer.ts'
import { type ChosenTable, chooseTables, type Draft, type Publishing, type TablesTarget } from './publication.ts'

const chosenErrors = { table: { code: 'parquet.table' }, view: { code: 'parquet.view' } }

/**
 * A folder of published Parquet files: `p_blocks` is a symbolic link to `.chainlake/p_blocks/<columns>-<run>`, a generation, which has the
 * files of the table and nothing else. A generation does not change; another one replaces it by a new link, in one step.
 */
type Generation = {
  /** Absolute path. */
  readonly path: string
  /** Identifies the columns that its files have. */
  readonly columns: string
  readonly names: ReadonlySet<string>
}

/** Name of a file with a table's columns and no rows. */
const withoutRows = 'no-rows'

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
async function claimFolder(folder: string, lakeId: string): Promise<void> {
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
async function shownGeneration(folder: string, table: string): Promise<Generation | null> {
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
async function newGeneration(folder: string, table: string, columns: string, runId: string): Promise<string> {
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
async function removeUnseen(folder: string, table: string, nowMs: number): Promise<void> {
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

async function removeGeneration(path: string): Promise<void> {
  for (const file of (await entries(path)).filter((each) => ownFile.test(each))) await rm(join(path, file))
  await rmdir(path).catch(ignore('ENOENT'))
}

/**
 * Removes tables that the lake does not have any more, for example since it was restored from a backup: first the link, and with the next
 * publication the files.
 */
async function removeOthers(folder: string, tables: ReadonlySet<string>): Promise<void> {
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

type Filled = { readonly added: number; readonly rewritten: number }

/** Identifies the columns of a table: twelve hexadecimal digits. */
function columnsId(table: Table): string {
  return hash('sha256', columnsText(catalogColumns(table)), 'hex').slice(0, 12)
}

/** Merged files say of all columns that they may be null. */
function columnsText(columns: readonly FileColumn[]): string {
  return JSON.stringify(columns.map(({ id, name }) => [id, name]))
}

/** Whether readers already see the files of a table, and no others. */
function isShown({ table, files }: ChosenTable, shown: Generation | null): boolean {
  const columns = columnsId(table)
  if (shown === null || shown.columns !== columns) return false
  if (files.length === 0) return shown.names.has(emptyName(columns))
  return shown.names.size === files.length && files.every((file) => shownName(columns, file, shown) !== null)
}

type Filling = {
  readonly lakeDir: string
  readonly store: Store
  readonly copier: Copier
  readonly stop: AbortSignal
}

/**
 * Puts the files of a table into an empty folder: as hard links where possible, else as copies. A file that was written before a column
 * was added, removed or moved is rewritten, with the same rows and the present columns, since most readers take the
 * columns of a table from one of its files. What `shown` has is taken from there.
 *
 * @throws VerifyError `verify.files` for files that are gone; StorageError; the reason of `stop`.
 */
async function fill(filling: Filling, folder: string, chosen: ChosenTable, shown: Generation | null): Promise<Filled> {
  const { lakeDir, store, stop } = filling
  const { table, files } = chosen
  const columns = columnsId(table)
  const kept = new Map(files.map((file) => [file.id, shown === null ? null : shownName(columns, file, shown)]))
  const fresh = files.filter(({ id }) => kept.get(id) === null)
  const lost = await findLost(
    store,
    fresh.map(({ path, bytes }) => ({ table: table.name, path, bytes })),
  )
  if (lost.length > 0) throw lostError(lakeDir, lost, 'Tables were not published: ')
  const filled = { added: 0, rewritten: 0 }
  for (const file of files) {
    stop.throwIfAborted()
    const name = kept.get(file.id) ?? null
    if (name !== null) await linkOrCopy(join(shown?.path ?? '', name), join(folder, name))
    else if (await linkFile(store, folder, table, file)) filled.added++
    else {
      await rewrite(filling, folder, rewrittenName(columns, file.path), table, [file.path])
      filled.rewritten++
    }
    reachStep('parquet.after-file')
  }
  if (files.length === 0) await rewrite(filling, folder, emptyName(columns), table, [])
  return filled
}

/** Whether a file has the present columns: then it is put into the folder. */
async function linkFile(store: Store, folder: string, table: Table, { path }: CatalogFile): Promise<boolean> {
  const held = await store.hold([path])
  try {
    const source = store.url(path)
    if (!(await hasColumns(source, table))) return false
    await linkOrCopy(source, join(folder, basename(path)))
    return true
  } finally {
    await held.release()
  }
}

/** Writes the rows of data files to a new file in a folder, in the same order, and compares both. */
async function rewrite(
  { copier, stop }: Filling,
  folder: string,
  name: string,
  table: Table,
  files: readonly string[],
): Promise<void> {
  const target = openFolderStore(folder)
  await copier.copy({ table, files, isInOrder: true, target, path: name }, stop)
  if ((await copier.fingerprint(table, files)) === (await copier.fingerprint(table, [name], target))) return
  throw new VerifyError('A rewritten file does not contain the same rows as its source.', {
    code: 'verify.rewritten',
    details: { table: table.name, file: files[0] },
    hint: 'The previous publication is intact. This is a bug: please report it with these details.',
  })
}

/** The name of a file in what readers see; null if it is not there with the present columns. */
function shownName(columns: string, { path }: CatalogFile, shown: Generation): string | null {
  const [own, rewritten] = [basename(path), rewrittenName(columns, path)]
  if (shown.names.has(rewritten)) return rewritten
  return columns === shown.columns && shown.names.has(own) ? own : null
}

function rewrittenName(columns: string, path: string): string {
  return basename(path).replace(/\.parquet$/, `-${columns}.parquet`)
}

function emptyName(columns: string): string {
  return `${withoutRows}-${columns}.parquet`
}

/** Whether a file has exactly the columns of a table, also nested ones, in the same order. The type that belongs to an id never changes. */
async function hasColumns(path: string, table: Table): Promise<boolean> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const { columns } = await readFooter(file, size).catch((cause) => Promise.reject(damaged(path, cause)))
    return columnsText(columns) === columnsText(catalogColumns(table))
  } finally {
    await file.close()
  }
}

/** Errors for which a copy may succeed: another file system, one without hard links, or too many links. */
const noLink = new Set(['EXDEV', 'EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!noLink.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    await copyToNew(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    await syncFile(to)
  }
}

function damaged(path: string, cause: unknown): VerifyError {
  return new VerifyError('Tables were not published: a file of the lake is damaged.', {
    code: 'verify.files',
    details: { file: path, reason: cause instanceof Error ? cause.message : String(cause) },
    hint: `Nothing was changed. ${lostFilesHint}`,
    cause,
  })
}

type ParquetOptions = {
  /** The folder of the tables; null: `parquet` in the folder of the lake. */
  readonly to?: string | null
  /** Names of the tables; null: all tables of the lake. */
  readonly tables?: readonly string[] | null
  readonly now?: () => Date
}

export type ParquetSummary = {
  readonly runId: string
  readonly lakeId: string
  /** The snapshot of the lake that the tables show. */
  readonly snapshotId: number
  /** Absolute path. */
  readonly folder: string
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly files: number }[]
  /** Tables that this publication has changed. */
  readonly changed: readonly (Filled & { readonly table: string; readonly removed: number })[]
}

/**
 * Tables of the lake as folders of Parquet files, which any program reads without a catalog: `<to>/<table>/*.parquet` are the visible files of
 * one snapshot. First the new files of all tables are put next to those that readers see; then the tables are switched one by one, each in
 * one step. The next publication removes the earlier ones, and what a crashed one has left. A stop between two files changes no table.
 *
 * @throws ConfigError `parquet.folder`. Publishing throws ConfigError `parquet.table`, `parquet.view`; CatalogError `parquet.other-lake`,
 * `parquet.foreign`; VerifyError for files of the lake that are gone.
 */
export function parquetTarget(lake: LakeLocation, options: ParquetOptions = {}): TablesTarget<ParquetSummary> {
  const folder = folderOf(resolve(lake.folder), options.to ?? null)
  return {
    lake,
    command: 'publish parquet',
    failure: {
      message: 'The tables could not be published as Parquet files.',
      code: 'storage.parquet-folder',
      folder,
      hint: 'Each table is as it was, or complete and new. The folder needs free space, write permission and a file system with symbolic links. Then publish again.',
    },
    open: (publishing) => openFolder(publishing, options, folder),
  }
}

/** The folder of the tables. Throws `ConfigError` for one that has other duties. */
function folderOf(lakeDir: string, to: string | null): string {
  if (to !== null)
    refuseUrl('--to', to, {
      code: 'parquet.folder',
      hint: 'A bucket cannot replace many files in one step. Publish into a folder and copy it, or use publish iceberg, which readers of buckets understand.',
    })
  const folder = resolve(to ?? join(lakeDir, 'parquet'))
  const [first] = relative(lakeDir, folder).split(sep)
  const isFile = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false
  if (isFile || first === '' || first === 'data' || first === 'iceberg')
    throw new ConfigError(`--to must be a folder of its own, not ${folder}.`, {
      code: 'parquet.folder',
      hint: 'Give a folder outside the lake, or omit --to: the tables are then in the folder parquet of the lake.',
    })
  return folder
}

async function openFolder(
  { lakeDir, catalog, owner, stop }: Publishing,
  { tables = null, now = () => new Date() }: ParquetOptions,
  folder: string,
): ReturnType<TablesTarget<ParquetSummary>['open']> {
  const { snapshot, all, chosen } = await chooseTables(catalog, tables, chosenErrors)
  const { lakeId, snapshotId } = snapshot
  await claimFolder(folder, lakeId)
  const before = new Map<string, Generation | null>()
  for (const { table } of chosen) {
    before.set(table.name, await shownGeneration(folder, table.name))
    await removeUnseen(folder, table.name, now().getTime())
  }
  const changed: ParquetSummary['changed'][number][] = []
  async function* drafts(): AsyncGenerator<Draft> {
    const { store } = catalog
    const copier = openCopier(lakeDir, owner, store)
    try {
      for (const each of chosen) {
        const { name } = each.table
        const shown = before.get(name) ?? null
        if (isShown(each, shown)) continue
        stop.throwIfAborted()
        const path = await newGeneration(folder, name, columnsId(each.table), owner)
        const discard = () => removeGeneration(path)
        try {
          changed.push(changeOf(each, shown, await fill({ lakeDir, store, copier, stop }, path, each, shown)))
        } catch (error) {
          await discard()
          throw error
        }
        yield { reveal: () => showGeneration(folder, name, path), discard }
      }
    } finally {
      await copier.close()
    }
  }
  return {
    drafts: drafts(),
    finish: async () => {
      if (tables === null) await removeOthers(folder, new Set(all.map(({ table }) => table.name)))
      return {
        runId: owner,
        lakeId,
        snapshotId,
        folder,
        tables: chosen.map(({ table, files }) => ({
          table: table.name,
          rows: sumOf(files, 'rows'),
          files: files.length,
        })),
        changed,
      }
    },
  }
}

function changeOf(
  { table, files }: ChosenTable,
  shown: Generation | null,
  filled: Filled,
): ParquetSummary['changed'][number] {
  const kept = files.length - filled.added - filled.rewritten
  return { table: table.name, ...filled, removed: Math.max(0, (shown?.names.size ?? 0) - kept) }
}
