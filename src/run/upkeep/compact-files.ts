import type { Catalog } from '../../catalog/catalog.ts'
import { CatalogError, LockedError, VerifyError } from '../../errors.ts'
import { reachStep } from '../../lib/step.ts'
import type { Copier } from '../../lookup/copy-files.ts'
import type { Part } from '../../model.ts'
import { dataFilePath } from '../../store/data-file-path.ts'
import type { Store } from '../../store/store.ts'
import { removeParts } from '../rows/unit-writer.ts'
import type { Merge } from './compact-plan.ts'

/** The part of a run that merging needs. */
export type CompactingRun = {
  readonly catalog: Pick<Catalog, 'compaction'>
  readonly store: Store
  readonly copier: Copier
  readonly runId: string
  readonly nextPart: () => number
  readonly stop: AbortSignal
}

export type Merged = {
  readonly table: string
  /** Number of files before the merge. */
  readonly before: number
  readonly bytesBefore: number
  readonly part: Part
  readonly snapshotId: number
}

/**
 * Merges files: copies their rows into a new file, which replaces them in one commit. Before the commit the new file is read again, and the
 * sets of rows are compared. The new file is removed when that fails, when the catalog refuses it, or when the run is stopped. After any other
 * failure the commit may have succeeded: the file stays, and the next run removes it if the catalog does not name it.
 *
 * @throws CatalogError `catalog.overtaken` when another process was faster; VerifyError for files that are gone or damaged; StorageError;
 * the reason of `stop`.
 */
export async function mergeFiles(run: CompactingRun, merge: Merge): Promise<Merged> {
  const { catalog, store, runId } = run
  const { table, files, level } = merge
  reachStep('compact.before-read')
  const part = await copyRows(run, merge)
  const remove = async (error: unknown): Promise<never> => {
    await removeParts(store, [part])
    throw error
  }
  await verifySame(run, merge, part).catch(remove)
  reachStep('compact.after-write')
  const ids = files.map(({ id }) => id)
  const snapshotId = await catalog.compaction
    .replace({ runId, table: table.name, files: ids, parts: [part], level })
    .catch((error: unknown) => {
      if (isOvertaken(error) || error instanceof LockedError) return remove(error)
      throw error
    })
  const bytesBefore = files.reduce((sum, { bytes }) => sum + bytes, 0)
  return { table: table.name, before: files.length, bytesBefore, part, snapshotId }
}

/** Whether the catalog refused a merge since another process was faster. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof CatalogError && error.code === 'catalog.overtaken'
}

async function copyRows({ store, copier, runId, nextPart, stop }: CompactingRun, merge: Merge): Promise<Part> {
  const { table, files, isInOrder } = merge
  const slices = files.flatMap(({ sources }) => sources.flatMap(({ slice }) => slice?.from ?? []))
  const from = slices.reduce((least, each) => Math.min(least, each), slices[0] ?? 0)
  const sum = (of: 'rows' | 'bytes') => files.reduce((total, file) => total + file[of], 0)
  const partition = files[0]?.partition ?? []
  const path = dataFilePath(table, partition, { from, runId, sequence: nextPart() })
  const copy = {
    table,
    files: files.map((file) => file.path),
    isInOrder,
    target: store,
    path,
    rowBytes: sum('bytes') / sum('rows'),
  }
  return { table: table.name, path, partition, ...(await copier.copy(copy, stop)) }
}

/** Verifies that the new file contains the rows of the old files, which are removed later. */
async function verifySame({ copier }: CompactingRun, { table, files }: Merge, { path }: Part): Promise<void> {
  const before = await copier.fingerprint(
    table,
    files.map((file) => file.path),
  )
  const after = await copier.fingerprint(table, [path])
  if (before === after) return
  throw new VerifyError('Merged files do not contain the same rows as their source files.', {
    code: 'verify.merged',
    details: { table: table.name, before, after },
    hint: 'Nothing was replaced. This is a bug: please report it with these details.',
  })
}
