import { tables as declaredTables } from '../../../schemas/index.ts'
import { type Catalog, openCatalog, type StreamFacts } from '../../catalog/catalog.ts'
import type { SmallFile } from '../../catalog/files.ts'
import type { LakeLocation } from '../../catalog/place.ts'
import type { Table } from '../../define/index.ts'
import { ChainlakeError, errorKind, VerifyError } from '../../errors.ts'
import { groupBy, sumOf } from '../../lib/arrays.ts'
import { reachStep } from '../../lib/step.ts'
import { catalogTimeMicros } from '../../lib/time.ts'
import { type Copier, openCopier } from '../../lookup/copy-files.ts'
import type { Part } from '../../model.ts'
import { dataFilePath } from '../../store/data-file-path.ts'
import { aboveFloor } from '../disk-space.ts'
import { gaveUp } from '../error-parts.ts'
import type { EmitEvent } from '../events.ts'
import { asRun } from '../publish/publication.ts'
import { publishWhenBehind } from '../publish/publisher.ts'
import { removeParts } from '../rows/commit-batch.ts'
import type { LakeRun } from '../rows/lake-run.ts'

/** Files that are merged, into one as a rule. */
type Merge = {
  readonly table: Table
  /** In the order of the table; in that of their commits if their rows are sorted. */
  readonly files: readonly SmallFile[]
  /** Whether the rows follow one another in the order of the files: they are of slices, or were merged before, and do not overlap. */
  readonly isInOrder: boolean
  readonly level: number
}

export const mergedBytes = 184_000_000
/** Files of fewer bytes are small: two of them go into one. */
export const smallBytes = 92_000_000
/** Files of this level are not merged while a run follows: their rows have been rewritten three times. */
const lastLevel = 3
/** While a run follows, this many files of one level become one file of the next level. */
export const fanOut = 16
/** A partition counts as complete after this many snapshots without a new file, if a later partition exists. */
const quietSnapshots = 4 * fanOut

/** Merges all small files of each partition into as few files as possible. */
export function mergesOfAll(table: Table, files: readonly SmallFile[]): Merge[] {
  return byPartition(files).flatMap((own) => mergesOf(table, own, lastLevel))
}

/**
 * Merges to do while a run follows: full levels, so that a row is rewritten at most three times, and all small files of complete partitions.
 */
export function mergesInLevels(table: Table, files: readonly SmallFile[], snapshotId: number): Merge[] {
  const partitions = byPartition(files.filter(({ level }) => level < lastLevel))
  return partitions.flatMap((own) => {
    if (isWhole(table, own, partitions, snapshotId)) return mergesOf(table, own, lastLevel)
    return [0, 1, 2].flatMap((level) => {
      const ofLevel = own.filter((file) => file.level === level)
      const isFull = ofLevel.length >= fanOut || sumOf(ofLevel, 'bytes') >= mergedBytes
      return isFull ? mergesOf(table, ofLevel, level + 1) : []
    })
  })
}

/** Files of a partition in lists that each fit into one file. A list of one file is omitted. */
function mergesOf(table: Table, files: readonly SmallFile[], level: number): Merge[] {
  const merges: SmallFile[][] = []
  let bytes = 0
  for (const file of inOrder(table, files)) {
    const last = merges.at(-1)
    if (last === undefined || bytes + file.bytes > mergedBytes) {
      merges.push([file])
      bytes = file.bytes
    } else {
      last.push(file)
      bytes += file.bytes
    }
  }
  return merges
    .filter((own) => own.length > 1)
    .map((own) => {
      const hasOrder = own.every(({ level, sources }) => level > 0 || sources.every(({ slice }) => slice !== null))
      const isInOrder = hasOrder && areApart(table, own)
      return { table, files: isInOrder ? own : own.sort((a, b) => a.id - b.id), isInOrder, level }
    })
}

function inOrder(table: Table, files: readonly SmallFile[]): SmallFile[] {
  const boundsOf = boundsIn(table)
  return files
    .map((file) => ({ file, min: boundsOf(file)?.min ?? null }))
    .sort((a, b) => {
      if (a.min === null || b.min === null || a.min === b.min) return a.file.id - b.file.id
      return a.min < b.min ? -1 : 1
    })
    .map(({ file }) => file)
}

/**
 * Whether the rows of each file, in the order of the table, are above those of the file before it. One commit may divide the rows of a block
 * between two files: the file with the higher id has the later rows.
 */
function areApart(table: Table, files: readonly SmallFile[]): boolean {
  const boundsOf = boundsIn(table)
  return files.every((file, at) => {
    const own = boundsOf(file)
    const last = files[at - 1]
    if (own === null || last === undefined) return own !== null
    const before = boundsOf(last)
    if (before === null || own.min > before.max) return before !== null
    return own.min === before.max && file.since === last.since && file.id > last.id
  })
}

/** The first column of the sort order, if its type has exact bounds; otherwise null. */
function leadingColumn(table: Table): string | null {
  const [name] = table.sortBy
  const kind = name === undefined ? undefined : table.columns[name]?.type.kind
  return name !== undefined && ['int64', 'decimal', 'timestamp'].includes(kind ?? '') ? name : null
}

/** The time column that partitions a table; null without one. */
function timeColumn({ partitionBy }: Table): string | null {
  return partitionBy.find(({ transform }) => transform !== 'identity')?.column ?? null
}

/** The bounds of a file in the leading column, as numbers; null where they are not known. */
function boundsIn(table: Table): (file: SmallFile) => { min: bigint; max: bigint } | null {
  const column = leadingColumn(table)
  return (file) => {
    const bounds = column === null ? null : file.bounds(column)
    return bounds === null ? null : { min: boundValue(bounds.min), max: boundValue(bounds.max) }
  }
}

/** A bound of the catalog as a number: digits, or a time in microseconds since 1970 UTC. */
function boundValue(text: string): bigint {
  return catalogTimeMicros(text) ?? BigInt(text)
}

/** Whether a partition is complete: a later partition has files, and this one has had no new files for a long time. */
function isWhole(
  table: Table,
  files: readonly SmallFile[],
  partitions: readonly (readonly SmallFile[])[],
  snapshotId: number,
): boolean {
  const [first] = files
  const at = table.partitionBy.findIndex(({ transform }) => transform !== 'identity')
  const time = first?.partition[at] ?? null
  if (first === undefined || time === null || files.some(({ since }) => since > snapshotId - quietSnapshots))
    return false
  const rest = ({ partition }: SmallFile): string => JSON.stringify(partition.with(at, null))
  return partitions.some(([other]) => {
    const later = other?.partition[at] ?? null
    return other !== undefined && later !== null && later > time && rest(other) === rest(first)
  })
}

function byPartition(files: readonly SmallFile[]): SmallFile[][] {
  return [...groupBy(files, ({ partition }) => JSON.stringify(partition)).values()]
}

type CompactorOptions = Pick<LakeRun, 'lakeDir' | 'catalog' | 'store' | 'runId' | 'nextPart' | 'stop' | 'emit'> & {
  readonly writes: readonly string[]
}

/** A level is full after twice as many commits. */
const commitsBetween = fanOut / 2

/** Merges the small files of a run while it follows the chain. */
export function createCompactor(options: CompactorOptions) {
  const { lakeDir, store, runId, stop, emit } = options
  const copier = openCopier(lakeDir, runId, store)
  /** Tables that have damaged files. */
  const skipped = new Set<string>()
  let commits = 0

  const compactOrWarn = async (table: Table, streams: ReadonlyMap<string, StreamFacts>): Promise<void> => {
    try {
      await compactTable(table, {
        run: { ...options, copier },
        upTo: lastLevel - 1,
        plan: mergesInLevels,
        trailingOf: trailingIn(streams),
        merged: ({ before, snapshotId }) =>
          emit({ kind: 'merged', table: table.name, files: before, into: 1, snapshotId }),
      })
    } catch (error) {
      if (stop.aborted || !(error instanceof ChainlakeError)) throw error
      // A run must not fail because of maintenance. Damaged files are not tried again.
      if (error instanceof VerifyError) skipped.add(table.name)
      emit({
        kind: 'warning',
        message: `The small files of ${table.name} were not merged: ${error.message}`,
        details: error.details,
      })
    } finally {
      await copier.close()
    }
  }
  const compact = async (): Promise<void> => {
    commits = 0
    const { catalog, writes } = options
    const streams = await catalog.streams()
    for (const table of await catalog.tables()) {
      if (stop.aborted) return
      if (writes.includes(table.name) && !skipped.has(table.name)) await compactOrWarn(table, streams)
    }
  }
  return {
    afterCommit: (): void => {
      commits++
    },
    /** Merges files after enough commits. A failure is reported as a warning, and the merge is retried later. */
    afterRound: async (): Promise<void> => {
      if (commits >= commitsBetween) await compact()
    },
    atEnd: async (): Promise<void> => {
      if (commits > 0 && !stop.aborted) await compact()
    },
  }
}

type CompactOptions = {
  readonly run: CompactingRun
  /** Files of higher levels are ignored. */
  readonly upTo?: number
  readonly plan: (table: Table, files: readonly SmallFile[], snapshotId: number) => Merge[]
  readonly trailingOf: TrailingOf
  readonly merged: (merged: Merged) => void
}

/** Maximum number of consecutive new plans for a table because other processes were faster. */
const mostCollisions = 20

/** Merges the small files of a table. Plans again when another process has replaced or removed a file of the plan. */
export async function compactTable(table: Table, options: CompactOptions): Promise<void> {
  const { run, upTo = lastLevel, plan, trailingOf, merged } = options
  const columns = [leadingColumn(table), timeColumn(table)].filter((name) => name !== null)
  for (let collisions = 0; ; ) {
    const request = { table: table.name, below: smallBytes, upTo, columns }
    const found = await run.catalog.compaction.smallFiles(request)
    try {
      for (const merge of plan(table, withoutTails(table, found, trailingOf), found.snapshotId)) {
        run.stop.throwIfAborted()
        merged(await mergeFiles(run, merge))
        collisions = 0
      }
      return
    } catch (error) {
      if (errorKind(error) !== 'conflict' || ++collisions >= mostCollisions) throw error
    }
  }
}

/** How far below the newest rows of a stream each run reads again: coordinates of a range, seconds of a list. */
type TrailingOf = (stream: string) => number

/** What runs declared about the streams. Rows of a stream that none declared are not read again. */
function trailingIn(streams: ReadonlyMap<string, StreamFacts>): TrailingOf {
  return (stream) => streams.get(stream)?.trailing ?? 0
}

/**
 * Excludes the files with the tails of their streams: tails are read again, and comparing new rows with small files is cheap. A file of
 * several streams is excluded if it contains the tail of one of them.
 */
export function withoutTails(
  table: Table,
  { files, ends }: Awaited<ReturnType<Catalog['compaction']['smallFiles']>>,
  trailingOf: TrailingOf,
): SmallFile[] {
  const time = timeColumn(table)
  const latestOf = (file: SmallFile): bigint | null => {
    const bounds = time === null ? null : file.bounds(time)
    return bounds === null ? null : boundValue(bounds.max)
  }
  const newest = new Map<string, bigint>()
  for (const file of files)
    for (const { stream, slice } of file.sources) {
      const latest = slice === null ? latestOf(file) : null
      if (latest !== null && latest > (newest.get(stream) ?? latest - 1n)) newest.set(stream, latest)
    }
  return files.filter((file) =>
    file.sources.every(({ stream, slice }) => {
      const trailing = trailingOf(stream)
      if (trailing === 0) return true
      if (slice !== null) return slice.to <= (ends.get(stream) ?? slice.to) - trailing
      const [latest, end] = [latestOf(file), newest.get(stream)]
      return latest === null || end === undefined || latest < end - BigInt(trailing) * 1_000_000n
    }),
  )
}

type CompactingRun = Pick<LakeRun, 'store' | 'runId' | 'nextPart' | 'stop'> & {
  readonly catalog: Pick<Catalog, 'compaction'>
  readonly copier: Copier
}

type Merged = Awaited<ReturnType<typeof mergeFiles>>

/**
 * Merges files: copies their rows into a new file, which replaces them in one commit. Before the commit the new file is read again, and the
 * sets of rows are compared. The new file is removed when that fails, when the catalog refuses it, or when the run is stopped. After any other
 * failure the commit may have succeeded: the file stays, and the next run removes it if the catalog does not name it.
 *
 * @throws CatalogError `catalog.overtaken` when another process was faster; VerifyError for files that are gone or damaged; StorageError;
 * the reason of `stop`.
 */
async function mergeFiles(run: CompactingRun, merge: Merge) {
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
      if (errorKind(error) === 'conflict' || errorKind(error) === 'held') return remove(error)
      throw error
    })
  return { table: table.name, before: files.length, bytesBefore: sumOf(files, 'bytes'), part, snapshotId }
}

async function copyRows({ store, copier, runId, nextPart, stop }: CompactingRun, merge: Merge): Promise<Part> {
  const { table, files, isInOrder } = merge
  const slices = files.flatMap(({ sources }) => sources.flatMap(({ slice }) => slice?.from ?? []))
  const from = slices.reduce((least, each) => Math.min(least, each), slices[0] ?? 0)
  const partition = files[0]?.partition ?? []
  const path = dataFilePath(table, partition, { from, runId, sequence: nextPart() })
  const copy = {
    table,
    files: files.map((file) => file.path),
    isInOrder,
    target: store,
    path,
    rowBytes: sumOf(files, 'bytes') / sumOf(files, 'rows'),
  }
  return { table: table.name, path, partition, ...(await copier.copy(copy, stop)) }
}

/** Verifies that the new file contains the rows of the old files, which are removed later. */
async function verifySame({ copier }: CompactingRun, { table, files }: Merge, { path }: Part): Promise<void> {
  const merged = files.map((file) => file.path)
  const before = await copier.fingerprint(table, merged)
  const after = await copier.fingerprint(table, [path])
  if (before === after) return
  throw new VerifyError('Merged files do not contain the same rows as their source files.', {
    code: 'verify.merged',
    details: { table: table.name, before, after },
    hint: 'Nothing was replaced. This is a bug: please report it with these details.',
  })
}

export type CompactSummary = {
  readonly runId: string
  readonly tables: readonly CompactedTable[]
  /** The snapshot that the views show. */
  readonly snapshotId: number | null
  readonly stopped: boolean
}

type CompactedTable = {
  readonly name: string
  readonly filesBefore: number
  readonly filesAfter: number
  readonly bytesBefore: number
  readonly bytesAfter: number
  readonly rows: number
}

/**
 * Merges the small files of a lake, partition by partition, and publishes the views. When `stop` is aborted, finished merges are kept.
 *
 * @throws LockedError while another process does the same; StorageError `storage.space` when the disk is almost full.
 */
export async function compactLake(
  lake: LakeLocation,
  { stop, emit }: { readonly stop: AbortSignal; readonly emit: EmitEvent },
): Promise<CompactSummary> {
  const catalog = await openCatalog(lake, declaredTables, { stop })
  return asRun(catalog, 'compact', { stop, emit }, async (runId) => {
    const store = aboveFloor(catalog.store, lake.folder)
    const copier = openCopier(lake.folder, runId, store)
    const merged: Merged[] = []
    let parts = 0
    try {
      const options: CompactOptions = {
        run: { catalog, store, copier, runId, nextPart: () => parts++, stop },
        plan: mergesOfAll,
        trailingOf: trailingIn(await catalog.streams()),
        merged: (one) => void merged.push(one),
      }
      for (const table of await catalog.tables()) await compactTable(table, options)
      await publishWhenBehind({ lakeDir: lake.folder, catalog, owner: runId, stop })
    } catch (error) {
      if (!gaveUp(error, stop)) throw error
    } finally {
      await copier.close()
    }
    const snapshotId = stop.aborted ? null : await catalog.snapshotId()
    return { runId, tables: summed(merged), snapshotId, stopped: stop.aborted }
  })
}

function summed(merged: readonly Merged[]): CompactedTable[] {
  return [...groupBy(merged, ({ table }) => table)].map(([name, own]) => {
    const parts = own.map(({ part }) => part)
    return {
      name,
      filesBefore: sumOf(own, 'before'),
      filesAfter: parts.length,
      bytesBefore: sumOf(own, 'bytesBefore'),
      bytesAfter: sumOf(parts, 'bytes'),
      rows: sumOf(parts, 'rows'),
    }
  })
}
