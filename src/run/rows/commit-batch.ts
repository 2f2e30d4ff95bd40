import { type ArrowBatch, createBatcher } from '../../batch/batcher.ts'
import type { Commit, ReadCounts } from '../../catalog/catalog.ts'
import type { StreamDeclaration, Table } from '../../define/index.ts'
import { CatalogError, errorKind } from '../../errors.ts'
import { getOrCreate } from '../../lib/arrays.ts'
import type { Part, Progress, Stream } from '../../model.ts'
import { dataFilePath } from '../../store/data-file-path.ts'
import type { Store } from '../../store/store.ts'
import type { PartWriter } from '../../write/parquet-thread.ts'
import { slicesTaken } from '../error-parts.ts'
import type { LakeRun, Run } from './lake-run.ts'

/** What a commit says of a stream besides its rows. */
type StreamProgress = { readonly stream: Stream; readonly progress: Progress }

/** Rows in files that no commit has, with what their commit says. It is plain data, which threads send, where no row was compared. */
export type Batch = {
  readonly commit: Commit
  readonly rows: number
  /** Parts that were staged before: the commit makes them visible, too. */
  readonly staged?: readonly Part[]
  /** Where rows were compared with the lake: compares again, and gives the batch without rows that other commits have stored since. */
  readonly retried?: (() => Promise<Batch>) | undefined
  /** The latest time of a block in these rows; null where no row has one. */
  readonly newest?: string | null
}

type CommittingRun = Pick<Run, 'catalog' | 'store' | 'stop' | 'job' | 'written' | 'emit' | 'afterCommit'>

/** Makes the files of rows durable, for one commit with the progress of their streams. */
export async function finishBatch(
  rows: Pick<BatchRows, 'finish' | 'rows' | 'basis' | 'written' | 'compareAgain' | 'read'>,
  { runId, tables, overlapping }: Pick<Commit, 'runId' | 'tables' | 'overlapping'>,
  [{ stream, progress }, ...others]: readonly [StreamProgress, ...StreamProgress[]],
): Promise<Batch> {
  const { compareAgain } = rows
  const share = (other: StreamProgress, at: number) => {
    return { ...other, rows: rows.written(at + 1), read: rows.read?.(at + 1) }
  }
  const batchOf = (parts: readonly Part[]): Batch => ({
    commit: {
      runId,
      stream,
      tables,
      parts,
      progress,
      read: rows.read?.(0),
      others: others.map(share),
      basis: rows.basis(),
      ...(overlapping === undefined ? {} : { overlapping }),
    },
    rows: rows.rows(),
    ...(compareAgain === undefined ? {} : { retried: async () => batchOf(await compareAgain()) }),
  })
  return batchOf(await rows.finish())
}

/** Finishes and commits the rows of a list, with what the stream covers then. */
export async function commitRows(
  run: CommittingRun & Pick<Run, 'runId'>,
  { stream, tables }: Pick<StreamDeclaration, 'stream' | 'tables'>,
  rows: Parameters<typeof finishBatch>[0],
  [first = { kind: 'none' }, ...others]: readonly Progress[] = [],
): Promise<void> {
  const names = Object.values(tables).map(({ name }) => name)
  const rest = others.map((progress) => ({ stream, progress }))
  const commit = { runId: run.runId, tables: names }
  await commitBatch(run, await finishBatch(rows, commit, [{ stream, progress: first }, ...rest]))
}

/**
 * Makes a batch visible together with the progress of its streams; call it once for a batch. If the catalog refused its files, this function
 * removes them. After any other failure the commit may have taken place: the files stay, and the next run removes those that the catalog
 * does not name.
 *
 * If another commit came in between, the rows that were compared are compared again, and the commit has those that are still new. Throws
 * `slicesTaken` when other streams have covered more of the slices since the run planned them.
 */
export async function commitBatch(run: CommittingRun, planned: Batch): Promise<void> {
  let batch = planned
  const committed = async (): Promise<number> => {
    for (let comparisons = 1; ; comparisons++) {
      try {
        return await run.catalog.commit(batch.commit)
      } catch (error) {
        const compareAgain = comparisonAfter(error, batch)
        if (comparisons > mostComparisons || run.stop.aborted) throw slicesTaken
        batch = { ...batch, ...(await compareAgain()) }
      }
    }
  }
  const snapshotId = await committed().catch(async (error: unknown) => {
    if (isRefused(error)) await removeParts(run.store, batch.commit.parts)
    throw error
  })
  const { commit, rows, staged = [], newest = null } = batch
  const { parts, progress, others = [] } = commit
  const slices = [progress, ...others.map((other) => other.progress)].filter((each) => each.kind === 'slice')
  // The commit has succeeded, whatever fails after it.
  run.written(
    [...staged, ...parts],
    slices.reduce((sum, { slice }) => sum + slice.to - slice.from, 0),
  )
  const slice = progress.kind === 'slice' ? progress.slice : null
  run.emit({ kind: 'committed', pipeline: run.job, slice, snapshotId, rows, ...(newest === null ? {} : { newest }) })
  await run.afterCommit()
}

/** How often rows are compared with what others commit meanwhile. */
const mostComparisons = 20

/**
 * The comparison after a commit that another one came before. Throws other errors, and `slicesTaken` where comparing would not help: others have
 * covered a part of a slice, so the run plans it again.
 */
function comparisonAfter(error: unknown, { retried }: Batch): () => Promise<Batch> {
  if (!(error instanceof CatalogError && error.code === 'catalog.conflict')) throw error
  if (error.kind !== 'conflict' || retried === undefined) throw slicesTaken
  return retried
}

/** Whether a commit surely wrote nothing: another run has covered its slices, or has taken over from this one. */
function isRefused(error: unknown): boolean {
  if (error === slicesTaken || errorKind(error) === 'held') return true
  return error instanceof CatalogError && ['catalog.overlap', 'catalog.run-ended'].includes(error.code)
}

/** A part ends at this size, which suits query engines. */
const partBytes = 128 * 1024 * 1024

type OpenPart = { readonly path: string; readonly partition: readonly (string | null)[]; readonly writer: PartWriter }
/** A table has one open file. Rows come in the order of time, so the file is complete as soon as a row of another partition comes. */
type TableWriter = {
  readonly table: Table
  readonly batcher: ReturnType<typeof createBatcher>
  readonly parts: Part[]
  open: OpenPart | null
}

/** The rows of a batch on their way into files. Several stream parts may share them: `owner` is the number of one. */
export type BatchRows = {
  /** Returns the function that takes rows of a table. */
  readonly adder: (table: string) => (rows: readonly object[], owner?: number) => void
  /** Passes full batches to the writing thread; resolves when the batch may take more rows. */
  readonly relieve: () => Promise<void>
  /** Writes the remaining rows, makes the files durable and hands them to the caller. Removes them when that, or a `relieve`, fails. */
  readonly finish: () => Promise<readonly Part[]>
  /** Removes the written files, unless `finish` has returned them: those may be committed already. */
  readonly abort: () => Promise<void>
  readonly rows: () => number
  /** Number of rows with keys in memory, where it differs: the lake may have some of them. */
  readonly held?: () => number
  /** The oldest snapshot that rows were compared with; null when nothing was compared. */
  readonly basis: () => number | null
  /** Number of rows in files, by table. */
  readonly written: (owner: number) => ReadonlyMap<string, number>
  /** Number of rows taken, and how many of them the lake had, by table; absent where rows are not compared. */
  readonly read?: ((owner: number) => ReadCounts) | undefined
  /** Where rows were compared: compares the files of `finish` with all that the lake has by now. Resolves to those with the rest. */
  readonly compareAgain?: () => Promise<readonly Part[]>
}

type WritingRun = Pick<LakeRun, 'store' | 'thread' | 'runId' | 'nextPart'>

export type RowsOptions<R> = {
  readonly run: R
  readonly tables: readonly Table[]
  /** The first coordinate of the batch: part of the names of its files. */
  readonly from: number
  /** The memory of bytes in rows is not reused, so that rows may wait for each other. */
  readonly keepsBytes?: boolean
}

/**
 * Rows that are new, so that nothing is compared. Writes them to Parquet parts at their final, unique paths: `from` and `nextPart`, the part
 * counter of the run, are in the names, because two streams may fill one table. Parts are opened when `after` (the commit of the batch
 * before) has settled: two batches in the encoders would need twice the memory. A part ends when its row groups have 128 MiB.
 */
export function newRows(
  { run: { store, thread, runId, nextPart }, tables, from, keepsBytes = false }: RowsOptions<WritingRun>,
  after: Promise<void> = Promise.resolve(),
): BatchRows {
  const writers = new Map<string, TableWriter>(
    tables.map((table) => [
      table.name,
      { table, batcher: createBatcher(table, { buffers: thread.buffers, keepsBytes }), parts: [], open: null },
    ]),
  )
  const full: { writer: TableWriter; batch: ArrowBatch }[] = []
  const written = new Map<number, Map<string, number>>()
  let count = 0
  let isOver = false
  let failure: { readonly error: unknown } | null = null
  /** After a failure rows are lost, so nothing more is written. */
  const untilFailure = async <T>(work: () => Promise<T>): Promise<T> => {
    if (failure !== null) throw (failure as { readonly error: unknown }).error
    try {
      return await work()
    } catch (error) {
      failure = { error }
      throw error
    }
  }

  const openPart = (writer: TableWriter, partition: readonly (string | null)[]): OpenPart => {
    const sequence = nextPart()
    const path = dataFilePath(writer.table, partition, { from, runId, sequence })
    return { path, partition, writer: thread.openPart(store, path, writer.table) }
  }

  const writeBatch = async (writer: TableWriter, batch: ArrowBatch): Promise<void> => {
    if (writer.open?.partition !== batch.partition) {
      await after
      await finishOpen(writer)
      writer.open = openPart(writer, batch.partition)
    }
    await writer.open.writer.write(batch.ipc)
    if (writer.open.writer.bytes() >= partBytes) await finishOpen(writer)
  }

  const finishOpen = async (writer: TableWriter): Promise<void> => {
    const part = writer.open
    if (part === null) return
    // The remaining rows of the partition come after its full batches that still wait.
    const waits = full.some((other) => other.writer === writer && other.batch.partition === part.partition)
    const rest = waits ? null : writer.batcher.take(part.partition)
    if (rest !== null) await part.writer.write(rest.ipc)
    const file = await part.writer.finish()
    writer.open = null
    writer.parts.push({ table: writer.table.name, path: part.path, partition: part.partition, ...file })
  }

  const writeFull = async (): Promise<void> => {
    for (let next = full.shift(); next !== undefined; next = full.shift()) await writeBatch(next.writer, next.batch)
  }

  const abort = async (): Promise<void> => {
    if (isOver) return
    isOver = true
    const all = [...writers.values()]
    await Promise.allSettled(all.map(({ open }) => open?.writer.abort()))
    await removeParts(
      store,
      all.flatMap(({ parts }) => parts),
    )
  }

  return {
    adder(table) {
      const writer = writers.get(table)
      if (writer === undefined) throw new Error(`The batch has no table ${table}.`)
      const { batcher } = writer
      return (rows, owner = 0) => {
        for (let i = 0; i < rows.length; i++) {
          const batch = batcher.append(rows[i]!)
          if (batch !== null) full.push({ writer, batch })
        }
        count += rows.length
        const own = getOrCreate(written, owner, () => new Map())
        own.set(table, (own.get(table) ?? 0) + rows.length)
      }
    },
    relieve: () => untilFailure(writeFull),
    async finish() {
      if (isOver) throw new Error('The parts of a batch can be returned only once.')
      try {
        await untilFailure(async () => {
          await writeFull()
          for (const writer of writers.values()) {
            for (const batch of writer.batcher.drain()) await writeBatch(writer, batch)
            await finishOpen(writer)
          }
        })
      } catch (error) {
        await abort()
        throw error
      }
      isOver = true
      return [...writers.values()].flatMap((writer) => writer.parts.sort(byPartition))
    },
    abort,
    rows: () => count,
    basis: () => null,
    written: (owner) => written.get(owner) ?? new Map(),
  }
}

export async function removeParts(store: Pick<Store, 'remove'>, parts: readonly Part[]): Promise<void> {
  await Promise.allSettled(parts.map(({ path }) => store.remove(path)))
}

/** Sorts by partition. Parts of one partition keep the order in which they were written. */
function byPartition(a: Part, b: Part): number {
  const [left, right] = [JSON.stringify(a.partition), JSON.stringify(b.partition)]
  return left < right ? -1 : left > right ? 1 : 0
}
