import { AsyncByteQueue, type RecordBatch, RecordBatchStreamWriter, type Schema } from 'apache-arrow'
import type { Table } from '../define/index.ts'
import { arrowSchema } from './arrow-schema.ts'

/** What makes Arrow IPC streams of batches of one table. */
export type IpcStreams = {
  readonly schema: Schema
  /** The pieces of a stream of one batch, which lie in the memory of its columns. */
  piecesOf(batch: RecordBatch): readonly Uint8Array[]
}

const known = new WeakMap<Table, IpcStreams>()

/** The same one for the same table: of one with dozens of columns its schema takes as long to write as a batch of its rows. */
export function ipcStreams(table: Table): IpcStreams {
  const streams = known.get(table) ?? createIpcStreams(arrowSchema(table))
  known.set(table, streams)
  return streams
}

/** As a stream ends that says so: a continuation without a message. */
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
