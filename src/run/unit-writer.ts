import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Batch, type Batcher, createBatcher } from '../batch/batcher.ts'
import type { Table } from '../define/index.ts'
import type { Part } from '../model.ts'
import type { ParquetThread, PartWriter } from '../write/parquet-thread.ts'
import { partPath } from '../write/part-path.ts'

/** Parts roll over here, so that files stay within what query engines like. */
const partBytes = 128 * 1024 * 1024

type OpenPart = { readonly path: string; readonly partition: readonly (string | null)[]; readonly writer: PartWriter }
type TableWriter = {
  readonly table: Table
  readonly batcher: Batcher
  readonly open: Map<string, OpenPart>
  sequence: number
}

/** Takes the rows of one unit and leaves Parquet parts at their final, unique paths. */
export type UnitWriter = {
  append(table: string, row: object): void
  /** Hands full batches to the writing thread; resolves when it may take more. */
  flush(): Promise<void>
  /** Writes what is left and makes every part durable. */
  finish(): Promise<Part[]>
  /** Removes what was written. */
  abort(): Promise<void>
  rows(): number
}

/** `firstIndex` names the files: a unit never begins twice at the same place within a run. */
export function createUnitWriter(options: {
  lakeDir: string
  thread: ParquetThread
  tables: readonly Table[]
  runId: string
  firstIndex: number
}): UnitWriter {
  const { lakeDir, thread, runId, firstIndex } = options
  const writers = new Map<string, TableWriter>(
    options.tables.map((table) => [table.name, { table, batcher: createBatcher(table), open: new Map(), sequence: 0 }]),
  )
  const full: { writer: TableWriter; batch: Batch }[] = []
  const parts: Part[] = []
  let rows = 0

  const openPart = (writer: TableWriter, partition: readonly (string | null)[]): OpenPart => {
    const path = partPath(writer.table, partition, { from: firstIndex, runId, sequence: writer.sequence++ })
    return { path, partition, writer: thread.openPart(join(lakeDir, path), writer.table) }
  }

  const writeBatch = async (writer: TableWriter, batch: Batch): Promise<void> => {
    const key = JSON.stringify(batch.partition)
    let part = writer.open.get(key)
    if (part === undefined) {
      part = openPart(writer, batch.partition)
      writer.open.set(key, part)
    }
    await part.writer.write(batch.ipc)
    if (part.writer.bytes() >= partBytes) await finishOpen(writer, key)
  }

  const finishOpen = async (writer: TableWriter, key: string): Promise<void> => {
    const part = writer.open.get(key)
    if (part === undefined) return
    writer.open.delete(key)
    const file = await part.writer.finish()
    parts.push({ table: writer.table.name, path: part.path, partition: part.partition, ...file })
  }

  return {
    append(table, row) {
      const writer = writers.get(table)
      if (writer === undefined) throw new Error(`The unit has no table ${table}.`)
      rows++
      const batch = writer.batcher.append(row)
      if (batch !== null) full.push({ writer, batch })
    },
    async flush() {
      for (const { writer, batch } of full.splice(0)) await writeBatch(writer, batch)
    },
    async finish() {
      for (const { writer, batch } of full.splice(0)) await writeBatch(writer, batch)
      for (const writer of writers.values()) {
        // A partition drains once: finishing its part at once keeps few files open when a unit spans many months.
        for (const batch of writer.batcher.drain()) {
          await writeBatch(writer, batch)
          await finishOpen(writer, JSON.stringify(batch.partition))
        }
        for (const key of [...writer.open.keys()]) await finishOpen(writer, key)
      }
      return parts.sort((a, b) => (a.path < b.path ? -1 : 1))
    },
    async abort() {
      const open = [...writers.values()].flatMap((writer) => [...writer.open.values()])
      await Promise.allSettled(open.map((part) => part.writer.abort()))
      await Promise.allSettled(parts.map((part) => rm(join(lakeDir, part.path), { force: true })))
    },
    rows: () => rows,
  }
}
