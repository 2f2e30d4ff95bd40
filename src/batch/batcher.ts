import { AsyncByteQueue, makeData, RecordBatch, RecordBatchStreamWriter, type Schema, Struct } from 'apache-arrow'
import { fieldsOf, type Table } from '../define/index.ts'
import { SchemaError } from '../errors.ts'
import type { BufferPool } from '../lib/buffer-pool.ts'
import { arrowSchema } from './arrow-schema.ts'
import { type ColumnBuilder, columnBuilder } from './column-builder.ts'
import { createPartitioner, type Partition } from './partitioner.ts'
import { compareKeys } from './refusal.ts'
import type { ByteCount } from './values.ts'

/** Rows of one partition as a self-contained Arrow IPC stream, which owns its buffer and can be transferred. */
export type Batch = { readonly partition: Partition; readonly ipc: Uint8Array<ArrayBuffer>; readonly rows: number }

export type Batcher = {
  /**
   * Takes a row; gives a batch when its partition has reached a limit. Throws `SchemaError` that names the column and
   * the row's key for a value that the column does not hold, and for a first row with other keys than the table's
   * columns; after an error the batcher must not be used further.
   */
  append(row: object): Batch | null
  /** The rows that are left of one partition, which a batch has named; null without any. */
  take(partition: Partition): Batch | null
  /** The rows that are left, partitions in the order in which they began. */
  drain(): Batch[]
}

/** Both cut row groups of the tables without a remainder. */
const defaultRows = { flat: 40_960, nested: 40_960, raw: 16_384 } as const
/** Larger batches are no faster, and every table has one in the making (measured: 2, 4 and 8 MiB). */
const defaultBytes = 1024 * 1024

export type BatcherOptions = {
  readonly rows?: number
  readonly bytes?: number
  readonly buffers?: Pick<BufferPool, 'take'>
}

const newBuffers: Pick<BufferPool, 'take'> = { take: (bytes) => new ArrayBuffer(bytes) }

type Row = Readonly<Record<string, unknown>>
type OpenPartition = {
  readonly partition: Partition
  readonly columns: readonly ColumnBuilder[]
  readonly count: ByteCount
  rows: number
}

/**
 * Fills Arrow columns row by row, laid out by the table's declaration; one set of columns a partition.
 * `rows` (default 40,960; 16,384 for raw tables) and `bytes` (default 1 MiB) say where a batch is cut, `buffers` where its
 * memory comes from.
 */
export function createBatcher(table: Table, options: BatcherOptions = {}): Batcher {
  const { rows: maxRows = defaultRows[table.rowGroup], bytes: maxBytes = defaultBytes, buffers = newBuffers } = options
  const fields = fieldsOf(table)
  const names = fields.map((field) => field.name)
  const schema = arrowSchema(table)
  const partitionOf = createPartitioner(table)
  const open = new Map<Partition, OpenPartition>()
  let compared = false
  let current: OpenPartition | undefined

  const openPartition = (partition: Partition): OpenPartition => {
    const known = open.get(partition)
    if (known !== undefined) return known
    const count = { bytes: 0 }
    const columns = fields.map((field) => columnBuilder(table.name, field, count))
    const opened = { partition, columns, count, rows: 0 }
    open.set(partition, opened)
    return opened
  }

  const fill = (row: Row): OpenPartition => {
    if (!compared) {
      compareKeys(table.name, names, row)
      compared = true
    }
    const partition = partitionOf(row)
    if (current?.partition !== partition) current = openPartition(partition)
    const columns = current.columns
    for (let i = 0; i < columns.length; i++) (columns[i] as ColumnBuilder).append(row[names[i] as string])
    current.rows++
    return current
  }

  return {
    append(row) {
      const filled = place(table, row as Row, fill)
      if (filled.rows < maxRows && filled.count.bytes < maxBytes) return null
      return cut(schema, filled, buffers)
    },
    take(partition) {
      const left = open.get(partition)
      if (left === undefined) return null
      open.delete(partition)
      if (current === left) current = undefined
      return left.rows === 0 ? null : cut(schema, left, buffers)
    },
    drain() {
      const batches = [...open.values()]
        .filter(({ rows }) => rows > 0)
        .map((partition) => cut(schema, partition, buffers))
      open.clear()
      current = undefined
      return batches
    },
  }
}

function place(table: Table, row: Row, fill: (row: Row) => OpenPartition): OpenPartition {
  try {
    return fill(row)
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    const { code, details, hint, message } = error
    const key = table.key.map((column) => `${column}=${String(row[column])}`).join(' ')
    throw new SchemaError(message, {
      code,
      details: { ...details, row: key },
      cause: error,
      ...(hint === undefined ? {} : { hint }),
    })
  }
}

/** Copies the columns into one Arrow IPC stream and empties them. */
function cut(schema: Schema, open: OpenPartition, buffers: Pick<BufferPool, 'take'>): Batch {
  const { partition, columns, count, rows } = open
  const children = columns.map((column) => column.data())
  const data = makeData({ type: new Struct(schema.fields), length: rows, nullCount: 0, children })
  const ipc = streamOf(new RecordBatch(schema, data), buffers)
  for (const column of columns) column.clear()
  count.bytes = 0
  open.rows = 0
  return { partition, ipc, rows }
}

/** The batch as an IPC stream: its pieces, which lie in the memory of the columns, one behind the other. */
function streamOf(batch: RecordBatch, buffers: Pick<BufferPool, 'take'>): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = []
  const sink = new AsyncByteQueue<Uint8Array>()
  sink.write = (piece) => {
    pieces.push(piece as Uint8Array)
  }
  const writer = new RecordBatchStreamWriter()
  writer.reset(sink, batch.schema)
  writer.write(batch)
  writer.finish()
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const stream = new Uint8Array(buffers.take(length), 0, length)
  let at = 0
  for (const piece of pieces) {
    stream.set(piece, at)
    at += piece.length
  }
  return stream
}
