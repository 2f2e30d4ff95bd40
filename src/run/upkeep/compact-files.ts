import type { Catalog } from '../../catalog/catalog.ts'
import type { SmallFile } from '../../catalog/files/small-files.ts'
import type { Column, Table } from '../../define/index.ts'
import { CatalogError, LockedError, StorageError, VerifyError } from '../../errors.ts'
import { fileDigest } from '../../lib/files/file-digest.ts'
import { reachStep } from '../../lib/step.ts'
import type { SortedGroup, Sorter } from '../../lookup/sorted-rows.ts'
import type { Part } from '../../model.ts'
import type { Store } from '../../store/store.ts'
import type { ParquetThread } from '../../write/parquet-thread.ts'
import { createUnitWriter, removeParts } from '../rows/unit-writer.ts'
import { boundsIn, type Merge, mergedBytes } from './compact-plan.ts'

/** The part of a run that merging needs. */
export type CompactingRun = {
  readonly catalog: Pick<Catalog, 'compaction'>
  readonly store: Store
  readonly thread: ParquetThread
  readonly sorter: Sorter
  readonly runId: string
  readonly nextPart: () => number
  readonly stop: AbortSignal
}

export type Merged = {
  readonly table: string
  /** Number of files before the merge. */
  readonly before: number
  readonly bytesBefore: number
  readonly parts: readonly Part[]
  readonly snapshotId: number
}

/**
 * Merges files: writes their rows to new sorted files, which replace them in one commit. Before the commit the new files are read again, and
 * their hashes and their sets of rows are compared. The new files are removed when that fails, when the catalog refuses them, or when the run
 * is stopped. After any other failure the commit may have succeeded: the files stay, and the next run removes those that the catalog does
 * not name.
 *
 * @throws CatalogError `catalog.overtaken` when another process was faster; VerifyError for files that are gone or damaged; StorageError;
 * the reason of `stop`.
 */
export async function mergeFiles(run: CompactingRun, { table, files, groups, level }: Merge): Promise<Merged> {
  const { catalog, store, runId } = run
  reachStep('compact.before-read')
  const parts = await writeSorted(run, { table, files, groups, level })
  const remove = async (error: unknown): Promise<never> => {
    await removeParts(store, parts)
    throw error
  }
  await verifySame(run, { table, files, groups, level }, parts).catch(remove)
  reachStep('compact.after-write')
  const ids = files.map(({ id }) => id)
  const snapshotId = await catalog.compaction
    .replace({ runId, table: table.name, files: ids, parts, level })
    .catch((error: unknown) => {
      if (isOvertaken(error) || error instanceof LockedError) return remove(error)
      throw error
    })
  const bytesBefore = files.reduce((sum, { bytes }) => sum + bytes, 0)
  return { table: table.name, before: files.length, bytesBefore, parts, snapshotId }
}

/** Whether the catalog refused a merge since another process was faster. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof CatalogError && error.code === 'catalog.overtaken'
}

async function writeSorted(run: CompactingRun, { table, files, groups }: Merge): Promise<Part[]> {
  const { store, thread, sorter, runId, nextPart, stop } = run
  const slices = files.flatMap(({ sources }) => sources.flatMap(({ slice }) => slice?.from ?? []))
  const firstIndex = slices.reduce((least, from) => Math.min(least, from), slices[0] ?? 0)
  const writer = createUnitWriter({
    store,
    thread,
    tables: [table],
    runId,
    nextPart,
    firstIndex,
    after: Promise.resolve(),
    partBytes: mergedBytes,
  })
  try {
    const append = writer.appender(table.name)
    for await (const rows of sorter.rows(
      table,
      groups.map((group) => sortedGroup(table, group)),
    )) {
      stop.throwIfAborted()
      for (const row of rows) append(row)
      await writer.flush()
    }
    return await writer.finish()
  } catch (error) {
    await writer.abort()
    throw error
  }
}

/** Bytes of files that are sorted at once, and bytes of rows in memory: rows that repeat others take few bytes of a file. */
const sortedBytes = 4_000_000
const sortedMemory = 24_000_000

/** A file that was merged before is in order. Overlapping files are sorted in separate parts of similar size. */
function sortedGroup(table: Table, group: readonly SmallFile[]): SortedGroup {
  const files = group.map(({ path }) => path)
  const bounds = group.map(boundsIn(table))
  const known = bounds.filter((each) => each !== null)
  const bytes = group.reduce((sum, file) => sum + file.bytes, 0)
  const memory = group.reduce((sum, file) => sum + file.rows, 0) * rowMemory(table)
  const count = Math.ceil(Math.max(bytes / sortedBytes, memory / sortedMemory))
  const isInOrder = group.length === 1 && (group[0]?.level ?? 0) > 0
  if (known.length < group.length) return { files, isInOrder, bounds: [] }
  const ascending = known.flatMap(({ min, max }) => [min, max]).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const [min, max] = [ascending[0] ?? 0n, ascending.at(-1) ?? 0n]
  const width = (max - min) / BigInt(count) + 1n
  const parts: { from: bigint; to: bigint }[] = []
  for (let from = min; from <= max; from += width) parts.push({ from, to: from + width - 1n })
  return { files, isInOrder, bounds: parts }
}

/** About how many bytes DuckDB needs for a row while it sorts: half of all texts are hashes of 66 characters. */
function rowMemory({ columns }: Table): number {
  return Object.values<Column>(columns).reduce((sum, { type }) => sum + (bytesOf[type.kind] ?? 16), 0)
}

const bytesOf: Readonly<Partial<Record<Column['type']['kind'], number>>> = { text: 56, list: 128 }

/** Verifies that the new files on disk are as encoded and contain the rows of the old files, which are removed later. */
async function verifySame({ store, sorter }: CompactingRun, { table, files }: Merge, parts: readonly Part[]) {
  const held = await store.readable(parts.map(({ path }) => path))
  try {
    for (const { path, sha256 } of parts)
      if ((await fileDigest(store.url(path))) !== sha256)
        throw new StorageError('A file that was just written has other bytes on disk.', {
          code: 'storage.digest',
          details: { file: path },
          hint: 'Nothing was replaced. Check the disk.',
        })
  } finally {
    await held.release()
  }
  const [before, after] = [
    await sorter.fingerprint(
      table,
      files.map(({ path }) => path),
    ),
    await sorter.fingerprint(
      table,
      parts.map(({ path }) => path),
    ),
  ]
  if (before === after) return
  throw new VerifyError('Merged files do not contain the same rows as their source files.', {
    code: 'verify.merged',
    details: { table: table.name, before, after },
    hint: 'Nothing was replaced. This is a bug: please report it with these details.',
  })
}
