import { type Batch, type Batcher, createBatcher } from '../../batch/batcher.ts'
import type { Table } from '../../define/index.ts'
import type { Part } from '../../model.ts'
import { dataFilePath } from '../../store/data-file-path.ts'
import type { Store } from '../../store/store.ts'
import type { ParquetThread, PartWriter } from '../../write/parquet-thread.ts'

/** Parts roll over here, so that files stay within what query engines like. */
const usualPartBytes = 128 * 1024 * 1024

type OpenPart = { readonly path: string; readonly partition: readonly (string | null)[]; readonly writer: PartWriter }
/** Sources are in the order of time, so a table has one open part: one that another partition follows is done. */
type TableWriter = { readonly table: Table; readonly batcher: Batcher; readonly parts: Part[]; open: OpenPart | null }

/** Takes the rows of one unit and leaves Parquet parts at their final, unique paths. */
export type UnitWriter = {
  /** What takes the rows of a table. */
  appender(table: string): (row: object) => void
  /** Hands full batches to the writing thread; resolves when it may take more. */
  flush(): Promise<void>
  /** Writes what is left and makes every part durable: from then on the parts are the caller's. Throws what a `flush` failed with. */
  finish(): Promise<Part[]>
  /** Removes what was written and not given out by `finish`: parts that were may be committed by now. */
  abort(): Promise<void>
  rows(): number
}

/**
 * `firstIndex` and `nextPart`, which counts the parts of the run, name the files: two streams may fill one table. Parts are opened only when
 * `after` is settled, the writing of the unit before: two units in the encoders would take twice the memory. `partBytes` (128 MiB) is where
 * a part ends when the row groups that it has are as large.
 */
export function createUnitWriter(options: {
  store: Store
  thread: ParquetThread
  tables: readonly Table[]
  runId: string
  firstIndex: number
  nextPart: () => number
  after: Promise<void>
  partBytes?: number
}): UnitWriter {
  const { store, thread, runId, firstIndex, nextPart, after, partBytes = usualPartBytes } = options
  const writers = new Map<string, TableWriter>(
    options.tables.map((table) => [
      table.name,
      { table, batcher: createBatcher(table, { buffers: thread.buffers }), parts: [], open: null },
    ]),
  )
  const full: { writer: TableWriter; batch: Batch }[] = []
  let rows = 0
  let isGivenOut = false
  let failure: { readonly error: unknown } | null = null
  /** Rows that a failure took along are gone: nothing is written after it. */
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
    const path = dataFilePath(writer.table, partition, { from: firstIndex, runId, sequence })
    return { path, partition, writer: thread.openPart(store, path, writer.table) }
  }

  const writeBatch = async (writer: TableWriter, batch: Batch): Promise<void> => {
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
    // What is left of the partition is younger than a full batch of it that still waits.
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

  return {
    appender(table) {
      const writer = writers.get(table)
      if (writer === undefined) throw new Error(`The unit has no table ${table}.`)
      return (row) => {
        rows++
        const batch = writer.batcher.append(row)
        if (batch !== null) full.push({ writer, batch })
      }
    },
    flush: () => untilFailure(writeFull),
    async finish() {
      if (isGivenOut) throw new Error('The parts of a unit are given out once.')
      await untilFailure(async () => {
        await writeFull()
        for (const writer of writers.values()) {
          for (const batch of writer.batcher.drain()) await writeBatch(writer, batch)
          await finishOpen(writer)
        }
      })
      isGivenOut = true
      return [...writers.values()].flatMap((writer) => writer.parts.sort(byPartition))
    },
    async abort() {
      if (isGivenOut) return
      const open = [...writers.values()].map((writer) => writer.open).filter((part) => part !== null)
      await Promise.allSettled(open.map((part) => part.writer.abort()))
      await removeParts(
        store,
        [...writers.values()].flatMap((writer) => writer.parts),
      )
    },
    rows: () => rows,
  }
}

/** Removes files that no commit names: none was tried, or the catalog refused it. */
export async function removeParts(store: Pick<Store, 'remove'>, parts: readonly Part[]): Promise<void> {
  await Promise.allSettled(parts.map(({ path }) => store.remove(path)))
}

/** Parts of one partition stay in the order in which they were written. */
function byPartition(a: Part, b: Part): number {
  const [left, right] = [JSON.stringify(a.partition), JSON.stringify(b.partition)]
  return left < right ? -1 : left > right ? 1 : 0
}
