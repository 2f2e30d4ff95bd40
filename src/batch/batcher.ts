import { AsyncByteQueue, makeData, RecordBatch, RecordBatchStreamWriter, type Schema, Struct } from 'apache-arrow'
import { type Columns, type Field, fieldsOf, type PartitionKey, type Table } from '../define/index.ts'
import { DefinitionError } from '../errors.ts'
import { getOrCreate } from '../lib/arrays.ts'
import type { BufferPool } from '../lib/memory.ts'
import { earliestTime, latestTime } from '../lib/time.ts'
import { arrowSchema, cellPutter, columnBuilder, compareKeys, refusedRow, refusedValue, usualBlock } from './columns.ts'

/** Rows of one partition as a self-contained Arrow IPC stream, which owns its buffer and can be transferred. */
export type ArrowBatch = { readonly partition: Partition; readonly ipc: Uint8Array<ArrayBuffer>; readonly rows: number }

/** Rows per Arrow batch. Batches and row groups of a table fit into each other without a remainder. */
const defaultRows = { flat: 40_960, nested: 40_960, raw: 16_384 } as const
/** Bytes per Arrow batch. Larger batches are not faster, and every table has one under construction (measured: 2, 4 and 8 MiB). */
const defaultBytes = 1024 * 1024

type BatcherOptions = {
  /** Limits of an Arrow batch. */
  readonly rows?: number
  readonly bytes?: number
  readonly buffers?: Pick<BufferPool, 'take'>
  /** The memory of bytes in rows is not reused. */
  readonly keepsBytes?: boolean
}

const newBuffers: Pick<BufferPool, 'take'> = { take: (bytes) => new ArrayBuffer(bytes) }

type OpenPartition = { readonly partition: Partition; readonly columns: ReturnType<typeof rowColumns> }

/** The share of an Arrow batch's bytes that may wait before it goes into columns. */
const waitingShare = 1 / 16

/** Fills Arrow columns according to the table's declaration, with one set of columns per partition. */
export function createBatcher(table: Table, options: BatcherOptions = {}) {
  const { rows: maxRows = defaultRows[table.rowGroup], bytes: maxBytes = defaultBytes } = options
  const { buffers = newBuffers, keepsBytes = false } = options
  const names = fieldsOf(table).map((field) => field.name)
  const streams = getOrCreate(known, table, () => createIpcStreams(arrowSchema(table)))
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
  const openPartition = (partition: Partition): OpenPartition =>
    getOrCreate(open, partition, () => {
      return { partition, columns: rowColumns(table, maxBytes * waitingShare, keepsBytes) }
    })

  return {
    /**
     * Takes a row, which must not change any more, except for bytes in it (unless `keepsBytes`). Returns an Arrow batch when the row's
     * partition has reached a limit. Throws `SchemaError` that names the column and the row's key, if the first row has other keys than the
     * table's columns, or, before the row is in an Arrow batch, if the column cannot hold a value. After an error the caller must not use the
     * batcher any more.
     */
    append(given: object): ArrowBatch | null {
      const row = given as Row
      const partition = partitionFor(row)
      if (current?.partition !== partition) current = openPartition(partition)
      const { columns } = current
      columns.append(row)
      if (columns.rows() < maxRows && columns.bytes() < maxBytes) return null
      return cut(streams, current, buffers)
    },
    /** The remaining rows of one partition, which an earlier Arrow batch has named; null if there are none. */
    take(partition: Partition): ArrowBatch | null {
      const left = open.get(partition)
      if (left === undefined) return null
      open.delete(partition)
      if (current === left) current = undefined
      return left.columns.rows() === 0 ? null : cut(streams, left, buffers)
    },
    /** The remaining rows, with the partitions in the order in which they began. */
    drain(): ArrowBatch[] {
      const batches = [...open.values()]
        .filter(({ columns }) => columns.rows() > 0)
        .map((partition) => cut(streams, partition, buffers))
      open.clear()
      current = undefined
      return batches
    },
  }
}

function cut(streams: IpcStreams, open: OpenPartition, buffers: Pick<BufferPool, 'take'>): ArrowBatch {
  const { partition, columns } = open
  const { schema } = streams
  const children = columns.settled().map((column) => column.data())
  const rows = columns.rows()
  const data = makeData({ type: new Struct(schema.fields), length: rows, nullCount: 0, children })
  const ipc = streamOf(streams.piecesOf(new RecordBatch(schema, data)), buffers)
  columns.clear()
  return { partition, ipc, rows }
}

/** Joins the pieces of an Arrow batch into one IPC stream. */
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

type Row = Readonly<Record<string, unknown>>

/**
 * The columns of a table, to which the batcher adds rows. `waitingBytes`: waiting rows hold about this many bytes, so fewer long rows wait for
 * each other.
 */
function rowColumns(table: Table, waitingBytes: number, keepsBytes: boolean) {
  const count = { bytes: 0 }
  const fields = fieldsOf(table)
  const builders = fields.map((field) => columnBuilder(table.name, field, count))
  const columns = fields.map(({ name }, at): Column => ({ name, builder: builders[at]! }))
  const ofBytes = keepsBytes ? [] : columns.filter((_, at) => holdsBytes(fields[at]!))
  const others = columns.filter((column) => !ofBytes.includes(column))
  const putBytes = createPut(table, fields, ofBytes)
  const putOthers = createPut(table, fields, others)
  let waiting: Row[] = []
  let filled = 0
  let most = 1

  const putWaiting = (): void => {
    if (waiting.length === 0) return
    const rows = waiting
    waiting = []
    putOthers(rows)
    filled += rows.length
    most = Math.max(1, Math.min(usualBlock, Math.floor((waitingBytes * filled) / count.bytes)))
  }

  return {
    /** Takes a row as the batcher does. Values that a column cannot hold are refused in `settled` at the latest. */
    append(row: Row): void {
      if (ofBytes.length > 0) putBytes([row])
      waiting.push(row)
      if (waiting.length >= most) putWaiting()
    },
    rows: () => filled + waiting.length,
    /** Bytes that the columns hold, without the few waiting rows. */
    bytes: () => count.bytes,
    /** The columns with all rows, including those that were waiting. */
    settled() {
      putWaiting()
      return builders
    },
    /** Forgets the rows and keeps the memory. */
    clear(): void {
      for (const builder of builders) builder.clear()
      count.bytes = 0
      filled = 0
    },
  }
}

type Column = { readonly name: string; readonly builder: ReturnType<typeof columnBuilder> }

function putterOf(columns: readonly Column[]) {
  return cellPutter(
    columns.map(({ name }) => name),
    columns.map(({ builder }) => builder),
  )
}

function holdsBytes({ column, children }: Field): boolean {
  return column.type.kind === 'blob' || children.some(holdsBytes)
}

/** Returns a function that puts rows into columns. A `SchemaError` from it names the first row that the table cannot hold. */
function createPut(table: Table, fields: readonly Field[], columns: readonly Column[]) {
  const put = putterOf(columns)
  return (rows: readonly Row[]): void => {
    try {
      put(rows, rows.length)
    } catch (error) {
      refuse(table, fields, rows)
      throw error
    }
  }
}

/** Puts the rows into other columns one by one, and throws for the first row that they cannot hold. */
function refuse(table: Table, fields: readonly Field[], rows: readonly Row[]): void {
  const builders = fields.map((field) => ({
    name: field.name,
    builder: columnBuilder(table.name, field, { bytes: 0 }),
  }))
  const put = putterOf(builders)
  for (const row of rows)
    try {
      put([row], 1)
    } catch (error) {
      throw refusedRow(table, row, error)
    }
}

type Partition = readonly (string | null)[]

/**
 * Returns the partition of a row: one value for each key of `partitionBy`, null where the column is null. Consecutive rows of the same
 * partition get the same array, so that callers can compare by identity.
 */
function createPartitioner(table: Table): (row: Readonly<Record<string, unknown>>) => Partition {
  const keys = table.partitionBy.map((key) => ({ column: key.column, bucket: bucketOf(table, key) }))
  const known = new Map<string, Partition>()
  let last: Partition | null = null
  // Rows of a block share the same value, not only an equal one, so a comparison with `===` is cheap.
  const cells: unknown[] = keys.map(() => undefined)
  /** Whether a row belongs to the partition of the previous row. The check allocates nothing. */
  const isOf = (row: Readonly<Record<string, unknown>>, partition: Partition): boolean => {
    for (let i = 0; i < keys.length; i++) {
      const { column, bucket } = keys[i]!
      const cell = row[column]
      if (cell === cells[i]) continue
      if (bucket(cell) !== partition[i]) return false
      cells[i] = cell
    }
    return true
  }
  return (row) => {
    if (last !== null && isOf(row, last)) return last
    const values = keys.map(({ column, bucket }) => bucket(row[column]))
    keys.forEach(({ column }, i) => {
      cells[i] = row[column]
    })
    last = getOrCreate(known, JSON.stringify(values), () => values)
    return last
  }
}

type Bucket = (value: unknown) => string | null

function bucketOf(table: Table, key: PartitionKey): Bucket {
  const column = `${table.name}.${key.column}`
  const kind = (table.columns as Columns)[key.column]?.type.kind
  if (key.transform === 'identity') {
    if (kind !== 'text' && kind !== 'int64')
      throw new DefinitionError(`${column} cannot name a partition: it is ${kind}.`)
    return (value) => (value === null ? null : String(value))
  }
  if (kind !== 'timestamp') throw new DefinitionError(`${column} cannot be cut by ${key.transform}: it is ${kind}.`)
  return calendarBucket(column, key.transform)
}

const dayMicros = 86_400_000_000n

/** The UTC month or day of a time in microseconds. It remembers the day of the last answer, because times come in order. */
function calendarBucket(column: string, transform: 'month' | 'day'): Bucket {
  let from = 0n
  let to = 0n
  let text = ''
  return (value) => {
    if (value === null) return null
    if (typeof value !== 'bigint') throw refusedValue(column, value, 'microseconds since 1970 as bigint')
    if (value >= from && value < to) return text
    // The column refuses any other time.
    if (value < earliestTime || value > latestTime) return ''
    from = value - (((value % dayMicros) + dayMicros) % dayMicros)
    to = from + dayMicros
    text = new Date(Number(from / 1000n)).toISOString().slice(0, transform === 'day' ? 10 : 7)
    return text
  }
}

type IpcStreams = ReturnType<typeof createIpcStreams>

/** Cached per table: for a table with dozens of columns, writing the schema takes as long as writing an Arrow batch of rows. */
const known = new WeakMap<Table, IpcStreams>()

/** The end-of-stream marker: a continuation without a message. */
const end = new Uint8Array(Int32Array.of(-1, 0).buffer)

function createIpcStreams(schema: Schema) {
  let pieces: Uint8Array[] = []
  const sink = new AsyncByteQueue<Uint8Array>()
  sink.write = (piece) => {
    pieces.push(piece as Uint8Array)
  }
  const taken = (): Uint8Array[] => {
    const those = pieces
    pieces = []
    return those
  }
  const writer = new RecordBatchStreamWriter({ autoDestroy: false })
  writer.reset(sink, schema)
  const beginning = taken()
  return {
    schema,
    /** The pieces of the stream of one Arrow batch. They lie in the memory of the batch's columns. */
    piecesOf(batch: RecordBatch): readonly Uint8Array[] {
      writer.write(batch)
      return [...beginning, ...taken(), end]
    },
  }
}
