import { AsyncByteQueue, type RecordBatch, RecordBatchStreamWriter, type Schema } from 'apache-arrow'
import type { Table } from '../define/index.ts'
import { arrowSchema } from './arrow-schema.ts'

/** Creates Arrow IPC streams from batches of one table. */
export type IpcStreams = {
  readonly schema: Schema
  /** The pieces of the stream of one batch. They lie in the memory of the batch's columns. */
  piecesOf(batch: RecordBatch): readonly Uint8Array[]
}

const known = new WeakMap<Table, IpcStreams>()

/** Cached per table: for a table with dozens of columns, writing the schema takes as long as writing a batch of rows. */
export function ipcStreams(table: Table): IpcStreams {
  const streams = known.get(table) ?? createIpcStreams(arrowSchema(table))
  known.set(table, streams)
  return streams
}

/** The end-of-stream marker: a continuation without a message. */
const end = new Uint8Array(Int32Array.of(-1, 0).buffer)

function createIpcStreams(schema: Schema): IpcStreams {
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
    piecesOf(batch) {
      writer.write(batch)
      return [...beginning, ...taken(), end]
    },
  }
}
