import { type Batch, type Batcher, createBatcher } from '../../batch/batcher.ts'
import type { Table } from '../../define/index.ts'
import type { Part } from '../../model.ts'
import { dataFilePath } from '../../store/data-file-path.ts'
import type { Store } from '../../store/store.ts'
import type { ParquetThread, PartWriter } from '../../write/parquet-thread.ts'

/** A part ends at this size, which suits query engines. */
const partBytes = 128 * 1024 * 1024

type OpenPart = { readonly path: string; readonly partition: readonly (string | null)[]; readonly writer: PartWriter }
/** Sources are in the order of time, so a table has one open part: it is complete when another partition follows. */
type TableWriter = { readonly table: Table; readonly batcher: Batcher; readonly parts: Part[]; open: OpenPart | null }

/** Writes the rows of one unit to Parquet parts at their final, unique paths. */
export type UnitWriter = {
  /** Returns the function that takes rows of a table. */
  appender(table: string): (row: object) => void
  /** Passes full batches to the writing thread; resolves when the unit may take more rows. */
  flush(): Promise<void>
  /** Writes the remaining rows, makes every part durable and hands the parts to the caller. Throws the error of a failed `flush`. */
  finish(): Promise<Part[]>
  /** Removes the written parts, unless `finish` has returned them: those may be committed already. */
  abort(): Promise<void>
  rows(): number
}

/**
 * `firstIndex` and `nextPart`, the part counter of the run, are in the file names, because two streams may fill one table. Parts are opened
 * when `after` (the writing of the previous unit) has settled: two units in the encoders would need twice the memory. A part ends when its
 * row groups have 128 MiB.
 */
export function createUnitWriter(options: {
  store: Store
  thread: ParquetThread
  tables: readonly Table[]
  runId: string
  firstIndex: number
  nextPart: () => number
  after: Promise<void>
}): UnitWriter {
  const { store, thread, runId, firstIndex, nextPart, after } = options
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
      if (isGivenOut) throw new Error('The parts of a unit can be returned only once.')
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

/** Removes the files of parts that were not committed. */
export async function removeParts(store: Pick<Store, 'remove'>, parts: readonly Part[]): Promise<void> {
  await Promise.allSettled(parts.map(({ path }) => store.remove(path)))
}

/** Sorts by partition. Parts of one partition keep the order in which they were written. */
function byPartition(a: Part, b: Part): number {
  const [left, right] = [JSON.stringify(a.partition), JSON.stringify(b.partition)]
  return left < right ? -1 : left > right ? 1 : 0
}
