import { join, relative, resolve, sep } from 'node:path'
import { tables as declaredTables } from '../../../schemas/index.ts'
import { type Catalog, openCatalog } from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import { viewsWithBuiltIn } from '../../declared/lake-tables.ts'
import type { Table } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import type { EmitEvent } from '../job/events.ts'
import { chosenTables } from './chosen-tables.ts'
import { columnsId, type Filled, type FlatTable, isShown, openFlatFiles } from './flat-files.ts'
import {
  claimFolder,
  type Generation,
  newGeneration,
  removeGeneration,
  removeOthers,
  removeUnseen,
  showGeneration,
  shownGeneration,
} from './flat-folder.ts'
import { inTurn } from './in-turn.ts'
import { publicationFailure } from './publication-failure.ts'
import { reportLostFiles, reportRecovery } from './report-recovery.ts'

const chosenErrors = { table: { code: 'parquet.table' }, view: { code: 'parquet.view' } }

export type ParquetOptions = {
  readonly lake: LakeLocation
  /** The folder of the tables; null: `parquet` in the folder of the lake. */
  readonly to?: string | null
  /** Names of the tables; null: all tables of the lake. */
  readonly tables?: readonly string[] | null
  /** Stops between two files; then no table has changed. */
  readonly stop: AbortSignal
  readonly emit: EmitEvent
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
 * Publishes tables of the lake as folders of Parquet files, which any program reads without a catalog: `<to>/<table>/*.parquet` are the
 * visible files of one snapshot. First the new files of all tables are put next to those that readers see; then the tables are switched one
 * by one, each in one step. The next publication removes the earlier ones, and what a crashed one has left.
 *
 * @throws LockedError while another process does the same; ConfigError `parquet.folder`, `parquet.table`, `parquet.view`; CatalogError
 * `parquet.other-lake`, `parquet.foreign`; VerifyError for files of the lake that are gone; StorageError.
 */
export async function publishParquet(options: ParquetOptions): Promise<ParquetSummary> {
  const { stop, emit } = options
  const lakeDir = resolve(options.lake.folder)
  const folder = folderOf(lakeDir, options.to ?? null)
  const catalog = await openCatalog(options.lake, declaredTables, { stop })
  const run = await catalog.startRun({ streams: [], command: 'publish parquet' })
  reportRecovery(run.recovery, emit)
  reportLostFiles(run.lost, emit)
  let outcome = 'failed'
  try {
    const published = await publishTables(options, { catalog, lakeDir, folder, runId: run.id })
    outcome = 'done'
    return published
  } catch (error) {
    if (stop.aborted) outcome = 'stopped'
    throw publicationFailure(error, 'The tables could not be published as Parquet files.', {
      code: 'storage.parquet-folder',
      folder,
      hint: 'Each table is as it was, or complete and new. The folder needs free space, write permission and a file system with symbolic links. Then publish again.',
    })
  } finally {
    await run.end(outcome)
  }
}

/** Publishes after another publishing process has ended, because that one may have begun before the last commit. */
export function publishParquetInTurn(options: ParquetOptions): Promise<ParquetSummary> {
  return inTurn(() => publishParquet(options), options.stop)
}

/** The folder of the tables. Throws `ConfigError` for one that has other duties. */
export function folderOf(lakeDir: string, to: string | null): string {
  if (to !== null && /^\w+:\/\//.test(to))
    throw new ConfigError(`--to must be a folder, not ${JSON.stringify(to)}.`, {
      code: 'parquet.folder',
      hint: 'A bucket cannot replace many files in one step. Publish into a folder and copy it, or use publish iceberg, which readers of buckets understand.',
    })
  const folder = resolve(to ?? join(lakeDir, 'parquet'))
  const [first] = relative(lakeDir, folder).split(sep)
  if (first === '' || first === 'data' || first === 'iceberg')
    throw new ConfigError(`--to must be a folder of its own, not ${folder}.`, {
      code: 'parquet.folder',
      hint: 'Give a folder outside the lake, or omit --to: the tables are then in the folder parquet of the lake.',
    })
  return folder
}

type Publication = {
  readonly catalog: Catalog
  readonly lakeDir: string
  readonly folder: string
  readonly runId: string
}

/** A table that changes. */
type Draft = {
  readonly table: FlatTable
  readonly shown: Generation | null
  readonly path: string
  readonly filled: Filled
}

async function publishTables(
  { tables = null, stop, now = () => new Date() }: ParquetOptions,
  { catalog, lakeDir, folder, runId }: Publication,
): Promise<ParquetSummary> {
  const files = await catalog.files()
  const declared = await catalog.tables()
  const views = viewsWithBuiltIn(declared, await catalog.views())
  // A run may just have added a column: all files get the columns of the declaration.
  const chosen = chosenTables(chosenErrors, files, views, tables).map(
    ({ name, files: own }): FlatTable => ({ name, files: own, declared: declarationOf(declared, name) }),
  )
  await claimFolder(folder, files.snapshot.lakeId)
  const before = new Map<string, Generation | null>()
  for (const { name } of chosen) {
    before.set(name, await shownGeneration(folder, name))
    await removeUnseen(folder, name, now().getTime())
  }
  const flat = openFlatFiles({ lake: lakeDir, store: catalog.store, runId, stop })
  const drafts: Draft[] = []
  const unseen = new Set<string>()
  try {
    for (const table of chosen) {
      const shown = before.get(table.name) ?? null
      if (isShown(table, shown)) continue
      stop.throwIfAborted()
      const path = await newGeneration(folder, table.name, columnsId(table), runId)
      unseen.add(path)
      drafts.push({ table, shown, path, filled: await flat.fill(path, table, shown) })
    }
    stop.throwIfAborted()
    for (const { table, path } of drafts) {
      unseen.delete(path)
      await showGeneration(folder, table.name, path)
    }
  } catch (error) {
    for (const path of unseen) await removeGeneration(path)
    throw error
  } finally {
    await flat.close()
  }
  if (tables === null) await removeOthers(folder, new Set(files.tables.map(({ name }) => name)))
  const { snapshot } = files
  return {
    runId,
    lakeId: snapshot.lakeId,
    snapshotId: snapshot.snapshotId,
    folder,
    tables: chosen.map(({ name, files: own }) => ({
      table: name,
      rows: own.reduce((sum, { rows }) => sum + rows, 0),
      files: own.length,
    })),
    changed: drafts.map(changeOf),
  }
}

function changeOf({ table, shown, filled }: Draft): ParquetSummary['changed'][number] {
  const kept = table.files.length - filled.added - filled.rewritten
  return { table: table.name, ...filled, removed: Math.max(0, (shown?.names.size ?? 0) - kept) }
}

function declarationOf(declared: readonly Table[], name: string): Table {
  const table = declared.find((each) => each.name === name)
  if (table === undefined) throw new TypeError(`The catalog does not declare the table ${name}.`)
  return table
}
