import { createHash, type Hash } from 'node:crypto'
import { writeSync } from 'node:fs'
import { ReadableStream } from 'node:stream/web'
import { MessageChannel, parentPort, workerData } from 'node:worker_threads'
import {
  Compression,
  EnabledStatistics,
  Encoding,
  initSync,
  Table,
  transformParquetStream,
  type WriterProperties,
  WriterPropertiesBuilder,
  WriterVersion,
  wasmMemory,
} from 'parquet-wasm/esm'
import type { FromThread, PartLayout, ToThread } from './parquet-thread.ts'

/** A row group ends at this many bytes even when it has few rows, so that large blobs do not pile up in memory. */
const rowGroupBytes = 8 * 1024 * 1024

/**
 * Bytes per page. Each open column holds up to one page, so a page smaller than usual (1 MiB) keeps the memory of many columns small.
 * Smaller pages cost more time and space (measured: half the size costs a tenth of the encoder's time).
 */
const pageBytes = 256 * 1024

/** zstd, Parquet V2, statistics for each row group; dictionaries unless a column says otherwise. */
function writerProperties(layout: PartLayout): WriterProperties {
  let builder = new WriterPropertiesBuilder()
    .setCreatedBy('chainlake')
    .setCompression(Compression.ZSTD)
    .setWriterVersion(WriterVersion.V2)
    .setMaxRowGroupSize(layout.rowGroupRows)
    .setMaxRowGroupBytes(rowGroupBytes)
    .setStatisticsEnabled(EnabledStatistics.Chunk)
    .setDictionaryEnabled(true)
    .setDataPageSizeLimit(pageBytes)
    // The encoding that a column falls back to when its dictionary grows too large. Without it V2 uses a slow delta encoding.
    .setEncoding(Encoding.PLAIN)
  for (const { name, encoding } of layout.columns) {
    if (encoding === 'dictionary') continue
    builder = builder
      .setColumnDictionaryEnabled(name, false)
      .setColumnEncoding(name, encoding === 'delta' ? Encoding.DELTA_BINARY_PACKED : Encoding.PLAIN)
  }
  return builder.build()
}

type OpenPart = {
  readonly id: number
  readonly descriptor: number
  readonly layout: PartLayout
  readonly queue: Uint8Array<ArrayBuffer>[]
  started: boolean
  ending: boolean
  failed: boolean
  /** Wakes the encoder when it waits for a batch. */
  wake: () => void
  rows: number
  bytes: number
  /** Hash of the bytes so far. The encoder does not change bytes that are in the file. */
  readonly hash: Hash
}

const encoder = initSync({ module: workerData })
const memory: { readonly buffer: ArrayBuffer } = wasmMemory()
let grown = memory.buffer.byteLength
const parts = new Map<number, OpenPart>()
const nowhere = new MessageChannel().port1
nowhere.close()
const port = parentPort
if (port === null) throw new Error('This file runs in a worker thread.')
const send = (message: FromThread, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer)

port.on('message', (message: ToThread) => {
  if (message.kind === 'open') return open(message.part, message.descriptor, message.layout)
  const part = parts.get(message.part)
  if (part === undefined) return
  if (message.kind === 'write') part.queue.push(message.ipc)
  else {
    if (message.kind === 'abort') discard(part)
    part.ending = true
  }
  if (part.started) part.wake()
  else if (part.queue.length > 0) void encode(part)
  else close(part)
})

/** The encoder's memory grows by at least this many bytes. The system provides only the pages that are used. */
const memoryStep = 16 * 1024 * 1024

/**
 * Lets the encoder's memory grow in few steps: above 64 MiB, V8 counts all of it as new with each step and collects the garbage of the thread
 * (measured: 55 times in 100 batches, a third of the thread's time). The encoder's allocator keeps memory that is freed.
 */
function growInSteps(): void {
  if (memory.buffer.byteLength === grown) return
  encoder.__wbindgen_free(encoder.__wbindgen_malloc(memoryStep, 1), memoryStep, 1)
  grown = memory.buffer.byteLength
}

function open(id: number, descriptor: number, layout: PartLayout): void {
  parts.set(id, {
    id,
    descriptor,
    layout,
    queue: [],
    started: false,
    ending: false,
    failed: false,
    wake: () => {},
    rows: 0,
    bytes: 0,
    hash: createHash('sha256'),
  })
}

/** Runs once per part: pulls its batches through the encoder and writes the bytes to the file as they come. */
async function encode(part: OpenPart): Promise<void> {
  part.started = true
  try {
    const output = await transformParquetStream(batchesOf(part), writerProperties(part.layout))
    for await (const chunk of output as ReadableStream<Uint8Array>) {
      if (!part.failed) writeAll(part, chunk)
    }
  } catch (error) {
    fail(part, error)
  }
  while (!part.ending) await new Promise<void>((resolve) => (part.wake = resolve))
  close(part)
}

/** Record batches in the memory of the encoder, one at a time. The encoder pulls the next one when it is done with the last. */
function batchesOf(part: OpenPart): ReadableStream {
  let inHand: Uint8Array<ArrayBuffer> | null = null
  let schema: Buffer | undefined
  return new ReadableStream(
    {
      async pull(controller) {
        if (inHand !== null) tellConsumed(part, inHand)
        inHand = null
        while (part.queue.length === 0 && !part.ending)
          await new Promise<void>((resolve) => {
            part.wake = resolve
          })
        const ipc = part.queue.shift()
        if (ipc === undefined || part.failed) return controller.close()
        inHand = ipc
        try {
          growInSteps()
          schema ??= schemaOf(ipc)
          // With another schema, the encoder writes wrong values or never ends.
          if (!schema.equals(schemaOf(ipc))) throw new Error('It has another schema than the batch before it.')
          const table = Table.fromIPCStream(ipc)
          const batches = table.recordBatches()
          table.free()
          for (const batch of batches) {
            part.rows += batch.numRows
            controller.enqueue(batch)
          }
        } catch (error) {
          // The encoder ignores errors of its input. It would end the file as if nothing were missing.
          fail(part, error)
          controller.close()
        }
      },
    },
    { highWaterMark: 0 },
  )
}

/** Returns the memory of the batch. This thread makes so little garbage that its own collector seldom runs. */
function tellConsumed(part: OpenPart, { buffer, byteLength }: Uint8Array<ArrayBuffer>): void {
  send({ kind: 'consumed', part: part.id, queued: byteLength, bytes: part.bytes, buffer }, [buffer])
}

/** The schema message that an IPC stream begins with: a marker of 4 bytes, its length in 4 bytes, the message. */
function schemaOf(ipc: Uint8Array<ArrayBuffer>): Buffer {
  if (ipc.length < 8) throw new Error('It is no Arrow IPC stream.')
  const length = new DataView(ipc.buffer, ipc.byteOffset).getInt32(4, true)
  return Buffer.from(ipc.subarray(0, 8 + Math.max(0, length)))
}

function writeAll(part: OpenPart, chunk: Uint8Array): void {
  try {
    for (let at = 0; at < chunk.length; ) at += writeSync(part.descriptor, chunk, at, chunk.length - at)
    part.bytes += chunk.length
    part.hash.update(chunk)
  } catch (error) {
    // `encode` reads and drops the rest of the output: an encoder does not end when its output is cut off.
    fail(part, error)
  }
  freeNow(chunk)
}

/** Frees the memory of a row group (some MiB) at once. This thread has no other garbage, so dozens of them would wait for the collector. */
function freeNow({ buffer, byteLength }: Uint8Array): void {
  // A buffer that is transferred to a closed port is freed.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) nowhere.postMessage(null, [buffer])
}

function fail(part: OpenPart, error: unknown): void {
  if (part.failed) return
  discard(part)
  const message = error instanceof Error ? error.message : String(error)
  const code = (error as NodeJS.ErrnoException | null)?.code ?? null
  send({ kind: 'failed', part: part.id, message, code })
}

function discard(part: OpenPart): void {
  part.failed = true
  part.queue.length = 0
}

function close(part: OpenPart): void {
  const { id, rows, bytes, hash } = part
  parts.delete(id)
  send({ kind: 'closed', part: id, rows, bytes, sha256: hash.digest('hex'), encoderBytes: memory.buffer.byteLength })
}
