import { makeData, RecordBatch, Struct } from 'apache-arrow'
import { fieldsOf, type Table } from '../define/index.ts'
import type { BufferPool } from '../lib/buffer-pool.ts'
import { type IpcStreams, ipcStreams } from './ipc-streams.ts'
import { createPartitioner, type Partition } from './partitioner.ts'
import { compareKeys, refusedRow } from './refusal.ts'
import { type Row, type RowColumns, rowColumns } from './row-columns.ts'

/** Rows of one partition as a self-contained Arrow IPC stream, which owns its buffer and can be transferred. */
export type Batch = { readonly partition: Partition; readonly ipc: Uint8Array<ArrayBuffer>; readonly rows: number }

export type Batcher = {
  /**
   * Takes a row, which must not change any more, except for bytes in it. Returns a batch when the row's partition has reached a limit.
   * Throws `SchemaError` that names the column and the row's key, if the first row has other keys than the table's columns, or, before the
   * row is in a batch, if the column cannot hold a value. After an error the caller must not use the batcher any more.
   */
  append(row: object): Batch | null
  /** The remaining rows of one partition, which an earlier batch has named; null if there are none. */
  take(partition: Partition): Batch | null
  /** The remaining rows, with the partitions in the order in which they began. */
  drain(): Batch[]
}

/** Rows per batch. Batches and row groups of a table fit into each other without a remainder. */
const defaultRows = { flat: 40_960, nested: 40_960, raw: 16_384 } as const
/** Bytes per batch. Larger batches are not faster, and every table has one under construction (measured: 2, 4 and 8 MiB). */
const defaultBytes = 1024 * 1024

type BatcherOptions = {
  readonly rows?: number
  readonly bytes?: number
  readonly buffers?: Pick<BufferPool, 'take'>
}

const newBuffers: Pick<BufferPool, 'take'> = { take: (bytes) => new ArrayBuffer(bytes) }

type OpenPartition = { readonly partition: Partition; readonly columns: RowColumns }

/** The share of a batch's bytes that may wait before it goes into columns. */
const waitingShare = 1 / 16

/**
 * Fills Arrow columns according to the table's declaration, with one set of columns per partition. `rows` (default 40,960; 16,384 for raw
 * tables) and `bytes` (default 1 MiB) limit a batch. `buffers` gives its memory.
 */
export function createBatcher(table: Table, options: BatcherOptions = {}): Batcher {
  const { rows: maxRows = defaultRows[table.rowGroup], bytes: maxBytes = defaultBytes, buffers = newBuffers } = options
  const names = fieldsOf(table).map((field) => field.name)
  const streams = ipcStreams(table)
  const partitionOf = createPartitioner(table)
  const open = new Map<Partition, OpenPartition>()
  let compared = false
  let current: OpenPartition | undefined

  const partitionFor = (row: Row): Partition => {
    try {
      if (!compared) compareKeys(table.name, names, row)
      compared = true
      return partitionOf(row)
    } catch (error) {
      throw refusedRow(table, row, error)
    }
  }
  const openPartition = (partition: Partition): OpenPartition => {
    const opened = open.get(partition) ?? { partition, columns: rowColumns(table, maxBytes * waitingShare) }
    open.set(partition, opened)
    return opened
  }

  return {
    append(given) {
      const row = given as Row
      const partition = partitionFor(row)
      if (current?.partition !== partition) current = openPartition(partition)
      const { columns } = current
      columns.append(row)
      if (columns.rows() < maxRows && columns.bytes() < maxBytes) return null
      return cut(streams, current, buffers)
    },
    take(partition) {
      const left = open.get(partition)
      if (left === undefined) return null
      open.delete(partition)
      if (current === left) current = undefined
      return left.columns.rows() === 0 ? null : cut(streams, left, buffers)
    },
    drain() {
      const batches = [...open.values()]
        .filter(({ columns }) => columns.rows() > 0)
        .map((partition) => cut(streams, partition, buffers))
      open.clear()
      current = undefined
      return batches
    },
  }
}

/** Copies the columns into one Arrow IPC stream and empties them. */
function cut(streams: IpcStreams, open: OpenPartition, buffers: Pick<BufferPool, 'take'>): Batch {
  const { partition, columns } = open
  const { schema } = streams
  const children = columns.settled().map((column) => column.data())
  const rows = columns.rows()
  const data = makeData({ type: new Struct(schema.fields), length: rows, nullCount: 0, children })
  const ipc = streamOf(streams.piecesOf(new RecordBatch(schema, data)), buffers)
  columns.clear()
  return { partition, ipc, rows }
}

/** Joins the pieces of a batch into one IPC stream. */
function streamOf(pieces: readonly Uint8Array[], buffers: Pick<BufferPool, 'take'>): Uint8Array<ArrayBuffer> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const stream = new Uint8Array(buffers.take(length), 0, length)
  let at = 0
  for (const piece of pieces) {
    stream.set(piece, at)
    at += piece.length
  }
  return stream
}
