import { Worker } from 'node:worker_threads'
import type { Table } from '../define/index.ts'
import { type ChainlakeError, StorageError } from '../errors.ts'
import { type BufferPool, createBufferPool } from '../lib/buffer-pool.ts'
import { workerFile } from '../lib/files/worker-file.ts'
import { threadLimits } from '../lib/thread-limits.ts'
import type { Store } from '../store/store.ts'
import { encoderModule } from './encoder-module.ts'
import type { FromThread, ToThread } from './messages.ts'
import { createPartWriter, type PartWriter, type ThreadLink } from './part-writer.ts'
import { createWriteQueue } from './write-queue.ts'

export type { FinishedFile, PartWriter } from './part-writer.ts'

/** A thread that encodes Parquet. It starts with the first part; several parts may be open at once. When it dies, all of them fail. */
export type ParquetThread = {
  /**
   * Begins a Parquet file of that name in the store, which must not have it yet. The first `write` or `finish` throws the errors of
   * opening.
   */
  openPart(store: Store, path: string, table: Table): PartWriter
  /** Memory for batches. It is reused when a batch is encoded. */
  readonly buffers: BufferPool
  /** Between two jobs: frees the memory of an encoder that has grown, unless a part is open. */
  renew(): void
  /** Ends the thread. Open parts fail, and their files stay as they are. */
  close(): Promise<void>
}

/** Bytes that may wait for the encoder: some batches of 2 MiB, of all parts together. */
const queueBytes = 6 * 1024 * 1024
/** Batches are little larger than 1 MiB. Some are queued, and each table has one under construction. */
const keptBatches = { count: 5, bytes: 2 * 1024 * 1024 }
/**
 * The memory of an encoder never shrinks. An encoder that has more bytes than this is replaced when no part is open. Compiling a new one
 * costs a second of CPU time, so not every unit of a large job gets its own.
 */
const encoderBytes = 160 * 1024 * 1024
/** The same limit at the beginning of a job. The job cannot use the holes that an earlier job left in the encoder's memory. */
const firstEncoderBytes = 64 * 1024 * 1024

type Hear = (message: FromThread | ChainlakeError) => void
type Thread = { readonly worker: Worker; readonly exit: Promise<void>; encoderBytes: number }

export function createParquetThread(): ParquetThread {
  const hearers = new Map<number, Hear>()
  let death: ChainlakeError | null = null
  let parts = 0
  const die = (reason: ChainlakeError): void => {
    death ??= reason
    for (const hear of [...hearers.values()]) hear(death)
  }
  let thread: Thread | null = null
  const retired: Promise<unknown>[] = []
  const buffers = createBufferPool(keptBatches)

  const replaceAbove = (bytes: number): void => {
    if (thread === null || hearers.size > 0 || thread.encoderBytes <= bytes || death !== null) return
    retired.push(endThread(thread))
    thread = null
  }

  const link: ThreadLink = {
    join(hear) {
      replaceAbove(encoderBytes)
      const part = parts++
      hearers.set(part, hear)
      if (death !== null) hear(death)
      else thread ??= startThread(hearers, die)
      return part
    },
    leave(part) {
      hearers.delete(part)
    },
    post(message: ToThread, transfer: ArrayBuffer[] = []) {
      thread?.worker.postMessage(message, transfer)
    },
    queue: createWriteQueue(queueBytes),
    buffers,
  }
  return {
    openPart: (store, path, table) => createPartWriter(link, store, path, table),
    buffers,
    renew: () => replaceAbove(firstEncoderBytes),
    async close() {
      death ??= new StorageError('The writing thread was closed.', { code: 'storage.closed' })
      await thread?.worker.terminate()
      await Promise.all([thread?.exit, ...retired])
    },
  }
}

function startThread(hearers: ReadonlyMap<number, Hear>, die: (reason: ChainlakeError) => void): Thread {
  const worker = new Worker(workerFile(new URL('./parquet-worker.js', import.meta.url)), {
    workerData: encoderModule(),
    resourceLimits: threadLimits,
  })
  // The `error` event comes before `exit`. After `exit` no code uses the files any more.
  let cause: unknown
  worker.on('error', (error) => {
    cause = error
  })
  const exit = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      die(deathOf(cause))
      resolve()
    })
  })
  const thread = { worker, exit, encoderBytes: 0 }
  worker.on('message', (message: FromThread) => {
    if (message.kind === 'closed') thread.encoderBytes = message.encoderBytes
    hearers.get(message.part)?.(message)
  })
  return thread
}

/** Ends a thread that has no open parts. This does not count as its death. */
async function endThread({ worker }: Thread): Promise<void> {
  worker.removeAllListeners()
  await worker.terminate()
}

function deathOf(cause: unknown): StorageError {
  const text = cause instanceof Error ? cause.message : 'it ended'
  return new StorageError(`The writing thread died: ${text}`, {
    code: 'storage.encoder',
    hint: 'Nothing of the open parts is committed; run again, and report it with these facts if it comes back.',
    cause,
  })
}
