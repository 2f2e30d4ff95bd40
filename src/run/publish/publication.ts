import { resolve } from 'node:path'
import { tables as declaredTables } from '../../../schemas/index.ts'
import { type Catalog, openCatalog } from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place.ts'
import type { Table } from '../../define/index.ts'
import { ConfigError, errorKind, StorageError } from '../../errors.ts'
import { diskRefusal } from '../../lib/files.ts'
import type { CatalogFile } from '../../model.ts'
import { gaveUp, waitUnlessStopped } from '../error-parts.ts'
import { type EmitEvent, reportStart } from '../events.ts'

export type Publishing = {
  readonly lakeDir: string
  readonly catalog: Catalog
  /** An id with a lock that this process holds. It owns the temporary files. */
  readonly owner: string
  /** Cancels publishing. Then its reason is thrown, or `LockedError` when another process holds the catalog. */
  readonly stop: AbortSignal
}

/** Calls `use` as the owner of temporary files that is not a run. */
export async function withOwner<T>(
  lake: LakeLocation,
  stop: AbortSignal,
  use: (publishing: Publishing) => Promise<T>,
): Promise<T> {
  const catalog = await openCatalog(lake, declaredTables, { stop })
  const { id, release } = await catalog.registerOwner()
  try {
    return await use({ lakeDir: lake.folder, catalog, owner: id, stop })
  } finally {
    await release()
  }
}

export type Draft = {
  /** Shows the draft to readers, in one step. */
  readonly reveal: () => Promise<void>
  /** Removes the draft. By default the next publication does. */
  readonly discard?: () => Promise<void>
}

/** A form in which readers get the tables of a lake: Apache Iceberg, or folders of Parquet files. It is published by a run of its own. */
export type TablesTarget<Summary> = {
  readonly lake: LakeLocation
  readonly command: string
  /** What an error of the file system becomes. */
  readonly failure: { readonly message: string; readonly code: string; readonly folder: string; readonly hint: string }
  readonly open: (publishing: Publishing) => Promise<{
    /** The tables that have changed, written one after the other, and not visible yet. */
    readonly drafts: AsyncIterable<Draft>
    /** Called when all drafts are visible. */
    readonly finish: () => Promise<Summary>
  }>
}

/** Publishes to a target: all drafts are complete before readers see the first one. */
async function publish<Summary>(target: TablesTarget<Summary>, publishing: Publishing): Promise<Summary> {
  const { drafts, finish } = await target.open(publishing)
  const unseen = new Set<Draft>()
  try {
    for await (const draft of drafts) unseen.add(draft)
    publishing.stop.throwIfAborted()
    for (const draft of unseen) {
      unseen.delete(draft)
      await draft.reveal()
    }
  } catch (error) {
    for (const { discard } of unseen) await discard?.()
    throw error
  }
  return finish()
}

type RunOptions = { readonly stop: AbortSignal; readonly emit: EmitEvent }

/**
 * Publishes tables. What is visible stays as it is until the first table is switched.
 *
 * @throws LockedError while another process does the same; ConfigError for tables that the lake does not have; StorageError; the errors of
 * the target.
 */
export async function publishTables<S>(target: TablesTarget<S>, options: RunOptions): Promise<S> {
  const { lake, command, failure } = target
  const { stop } = options
  const catalog = await openCatalog(lake, declaredTables, { stop })
  return asRun(catalog, command, options, async (owner) => {
    try {
      return await publish(target, { lakeDir: resolve(lake.folder), catalog, owner, stop })
    } catch (error) {
      throw publicationFailure(error, failure)
    }
  })
}

/** Calls `use` with the id of a run that reads no streams, and records how it ended. */
export async function asRun<T>(
  catalog: Catalog,
  command: string,
  { stop, emit }: RunOptions,
  use: (runId: string) => Promise<T>,
): Promise<T> {
  const run = await catalog.startRun({ streams: [], command })
  reportStart(run, emit)
  let outcome = 'done'
  try {
    const result = await use(run.id)
    if (stop.aborted) outcome = 'stopped'
    return result
  } catch (error) {
    outcome = gaveUp(error, stop) ? 'stopped' : 'failed'
    throw error
  } finally {
    await run.end(outcome)
  }
}

const maxWaitSeconds = 120

/**
 * Publishes tables after another publishing process has ended, because that one may have begun before the last commit. Throws its
 * `LockedError` after two minutes.
 */
export async function publishTablesInTurn<S>(target: TablesTarget<S>, options: RunOptions): Promise<S> {
  for (let seconds = 0; ; seconds++) {
    try {
      return await publishTables(target, options)
    } catch (error) {
      if (errorKind(error) !== 'taken' || seconds === maxWaitSeconds) throw error
      options.stop.throwIfAborted()
      await waitUnlessStopped(1000, options.stop)
    }
  }
}

/** The codes of the errors of a format: for a table that the lake does not have, and for a view. */
type ChosenErrors = Readonly<Record<'table' | 'view', { readonly code: string }>>

/** A table to publish: its declaration and all of its files. */
export type ChosenTable = { readonly table: Table; readonly files: readonly CatalogFile[] }

/**
 * The tables of the lake, and those of these names; null: all tables of the lake.
 *
 * @throws ConfigError with the given codes.
 */
export async function chooseTables(catalog: Catalog, names: readonly string[] | null, errors: ChosenErrors) {
  const { files, tables, views } = await catalog.asOf()
  const { snapshot } = files
  const filesOf = new Map(files.tables.map((each) => [each.name, each.files]))
  const all = tables.map((table): ChosenTable => ({ table, files: filesOf.get(table.name) ?? [] }))
  const unknown = names?.find((name) => !filesOf.has(name))
  if (unknown === undefined) {
    const chosen =
      names === null ? all : [...new Set(names)].flatMap((name) => all.filter(({ table }) => table.name === name))
    return { snapshot, all, chosen }
  }
  const { viewsWithBuiltIn } = await import('../../declared/lake-tables.ts')
  const isView = viewsWithBuiltIn(tables, views).some(({ name }) => name === unknown)
  throw new ConfigError(
    isView ? `${unknown} is a view: only tables are published.` : `The lake has no table ${unknown}.`,
    {
      ...(isView ? errors.view : errors.table),
      details: { 'the lake has': tables.map(({ name }) => name).join(', ') || 'no tables yet' },
      hint: isView
        ? `Publish the tables that it reads, and define the view in the reading system; chainlake describe ${unknown} shows its columns.`
        : 'Choose one of these tables, or omit --table to publish all tables.',
    },
  )
}

/** An error of the file system as `StorageError`; any other error as it is. */
function publicationFailure(
  error: unknown,
  { message, code, folder, hint }: TablesTarget<unknown>['failure'],
): unknown {
  if (!isOfFileSystem(error)) return error
  const refusal = diskRefusal(error, folder)
  const isFile = error.code === 'ENOTDIR' || error.code === 'EEXIST'
  return new StorageError(message, {
    code: refusal?.code ?? (isFile ? 'storage.not-a-folder' : code),
    kind: refusal?.kind ?? 'lasting',
    details: { folder, ...(refusal === null ? {} : { problem: refusal.problem }), reason: error.message },
    hint,
    cause: error,
  })
}

function isOfFileSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'
}
