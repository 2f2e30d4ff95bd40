import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { link, open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { CatalogTable } from '../../catalog/catalog.ts'
import { findLost, lostError } from '../../catalog/files/lost-files.ts'
import { catalogColumns } from '../../catalog/schema/catalog-columns.ts'
import type { Table } from '../../define/index.ts'
import { VerifyError } from '../../errors.ts'
import { copyToNew } from '../../lib/files/file-mode.ts'
import { syncFile } from '../../lib/files/sync-file.ts'
import { lostFilesHint } from '../../lib/lost-files.ts'
import { reachStep } from '../../lib/step.ts'
import { openCopier } from '../../lookup/copy-files.ts'
import type { CatalogFile } from '../../model.ts'
import { openFolderStore } from '../../store/folder-store.ts'
import type { Store } from '../../store/store.ts'
import { type FileColumn, readFooter } from '../../write/footer.ts'
import { type Generation, withoutRows } from './flat-folder.ts'

/** Fills folders with the files of tables. */
type FlatFiles = {
  /**
   * Puts the files of a table into an empty folder: as hard links where possible, else as copies. A file that was written before a column
   * was added, removed or moved is rewritten, with the same rows and the present columns, since most readers take the
   * columns of a table from one of its files. What `shown` has is taken from there.
   *
   * @throws VerifyError `verify.files` for files that are gone; StorageError; the reason of `stop`.
   */
  readonly fill: (folder: string, table: FlatTable, shown: Generation | null) => Promise<Filled>
  readonly close: () => Promise<void>
}

/** A declared table and its visible files. */
export type FlatTable = Pick<CatalogTable, 'name' | 'files'> & { readonly declared: Table }

export type Filled = { readonly added: number; readonly rewritten: number }

/** Identifies the columns of a table: twelve hexadecimal digits. */
export function columnsId({ declared }: FlatTable): string {
  return createHash('sha256')
    .update(columnsText(catalogColumns(declared)))
    .digest('hex')
    .slice(0, 12)
}

/** Merged files say of all columns that they may be null. */
function columnsText(columns: readonly FileColumn[]): string {
  return JSON.stringify(columns.map(({ id, name }) => [id, name]))
}

/** Whether readers already see the files of a table, and no others. */
export function isShown(table: FlatTable, shown: Generation | null): boolean {
  const columns = columnsId(table)
  if (shown === null || shown.columns !== columns) return false
  if (table.files.length === 0) return shown.names.has(emptyName(columns))
  return (
    shown.names.size === table.files.length && table.files.every((file) => shownName(columns, file, shown) !== null)
  )
}

type Surroundings = {
  /** Folder of the lake. DuckDB spills there. */
  readonly lake: string
  readonly store: Store
  /** A run with a lock that this process holds. */
  readonly runId: string
  readonly stop: AbortSignal
}

export function openFlatFiles({ lake, store, runId, stop }: Surroundings): FlatFiles {
  const copier = openCopier(lake, runId, store)

  /** Writes the rows of data files to a new file in a folder, in the same order, and compares both. */
  const write = async (folder: string, name: string, table: Table, files: readonly string[]): Promise<void> => {
    const target = openFolderStore(folder)
    await copier.copy({ table, files, isInOrder: true, target, path: name }, stop)
    if ((await copier.fingerprint(table, files)) === (await copier.fingerprint(table, [name], target))) return
    throw new VerifyError('A rewritten file does not contain the same rows as its source.', {
      code: 'verify.rewritten',
      details: { table: table.name, file: files[0] },
      hint: 'The previous publication is intact. This is a bug: please report it with these details.',
    })
  }

  const place = async (folder: string, table: FlatTable, { path }: CatalogFile): Promise<'added' | 'rewritten'> => {
    const held = await store.readable([path])
    try {
      const source = store.url(path)
      if (await hasColumns(source, table)) {
        await linkOrCopy(source, join(folder, basename(path)))
        return 'added'
      }
    } finally {
      await held.release()
    }
    await write(folder, rewrittenName(columnsId(table), path), table.declared, [path])
    return 'rewritten'
  }

  return {
    async fill(folder, table, shown) {
      const columns = columnsId(table)
      const kept = new Map(
        table.files.map((file) => [file.id, shown === null ? null : shownName(columns, file, shown)]),
      )
      const fresh = table.files.filter(({ id }) => kept.get(id) === null)
      const lost = await findLost(
        store,
        fresh.map(({ path, bytes }) => ({ table: table.name, path, bytes })),
      )
      if (lost.length > 0) throw lostError(lake, lost, 'Tables were not published: ')
      const filled = { added: 0, rewritten: 0 }
      for (const file of table.files) {
        stop.throwIfAborted()
        const name = kept.get(file.id) ?? null
        if (name === null) filled[await place(folder, table, file)]++
        else await linkOrCopy(join(shown?.path ?? '', name), join(folder, name))
        reachStep('parquet.after-file')
      }
      if (table.files.length === 0) await write(folder, emptyName(columns), table.declared, [])
      return filled
    },
    close: () => copier.close(),
  }
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
async function hasColumns(path: string, { declared }: FlatTable): Promise<boolean> {
  const file = await open(path, 'r')
  try {
    const found = (
      await readFooter(file, (await file.stat()).size).catch((cause) => Promise.reject(damaged(path, cause)))
    ).columns
    return columnsText(found) === columnsText(catalogColumns(declared))
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
