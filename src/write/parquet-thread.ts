import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { type ColumnEncoding, type Columns, rowGroupRows, type Table } from '../define/index.ts'
import { type ChainlakeError, StorageError } from '../errors.ts'
import { diskRefusal, isOutOfInodes } from '../lib/files.ts'
import { type BufferPool, createBufferPool, setTieringBudget, threadLimits, usualTieringBudget } from '../lib/memory.ts'
import { workerFile } from '../lib/package.ts'
import { reachStep } from '../lib/step.ts'
import type { Part } from '../model.ts'
import type { NewFile, Store } from '../store/store.ts'
import { leafStats, readFooter } from './footer.ts'

/** Bytes that may wait for the encoder: some batches of 2 MiB, of all parts together. */
const queueBytes = 6 * 1024 * 1024
/** Batches are little larger than 1 MiB. Some are queued, and each table has one under construction. */
const keptBatches = { count: 5, bytes: 2 * 1024 * 1024 }
/**
 * The memory of an encoder never shrinks. An encoder that has more bytes than this is replaced when no part is open. Compiling a new one
 * costs a second of CPU time, so not every unit of a large job gets its own. Up to 16 MiB of it may be unused (`memoryStep` of the worker).
 */
const encoderBytes = 176 * 1024 * 1024
/** The same limit at the beginning of a job. The job cannot use the holes that an earlier job left in the encoder's memory. */
const firstEncoderBytes = 80 * 1024 * 1024

type Hear = (message: FromThread | ChainlakeError) => void
type Thread = { readonly worker: Worker; readonly exit: Promise<void>; encoderBytes: number }

export type ParquetThread = ReturnType<typeof createParquetThread>

/** A thread that encodes Parquet. It starts with the first part; several parts may be open at once. When it dies, all of them fail. */
export function createParquetThread() {
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
    // An end without open parts does not count as a death.
    thread.worker.removeAllListeners()
    retired.push(thread.worker.terminate())
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
    /**
     * Begins a Parquet file of that name in the store, which must not have it yet. The first `write` or `finish` throws the errors of
     * opening.
     */
    openPart: (store: Store, path: string, table: Table) => createPartWriter(link, store, path, table),
    /** Memory for batches. It is reused when a batch is encoded. */
    buffers,
    /** Between two jobs: frees the memory of an encoder that has grown, unless a part is open. */
    renew: () => replaceAbove(firstEncoderBytes),
    /** Ends the thread. Open parts fail, and their files stay as they are. */
    async close(): Promise<void> {
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

function deathOf(cause: unknown): StorageError {
  const text = cause instanceof Error ? cause.message : 'it ended'
  return new StorageError(`The writing thread died: ${text}`, {
    code: 'storage.encoder',
    hint: 'Nothing of the open parts is committed; run again, and report it with these facts if it comes back.',
    cause,
  })
}

type FinishedFile = Omit<Part, 'table' | 'path' | 'partition'>

/** What a part needs from the thread that all parts share. */
type ThreadLink = {
  /** Returns the number of this part in messages. `hear` gets the thread's messages about it; an error means that the thread is dead. */
  join(hear: (message: FromThread | ChainlakeError) => void): number
  leave(part: number): void
  post(message: ToThread, transfer?: ArrayBuffer[]): void
  readonly queue: ReturnType<typeof createWriteQueue>
  /** Gets the memory of batches when they are encoded. */
  readonly buffers: BufferPool
}

type Closed = Pick<Part, 'rows' | 'bytes' | 'sha256'>

export type PartWriter = ReturnType<typeof createPartWriter>

/**
 * One Parquet file under construction. Every method throws `StorageError` once the file cannot be completed. `path` is the name of the file
 * in the store.
 */
function createPartWriter(link: ThreadLink, store: Store, path: string, table: Table) {
  const { queue, buffers } = link
  const url = store.url(path)
  let failure: ChainlakeError | null = null
  let bytes = 0
  let queued = 0
  let ended = false
  let resolveClosed: (closed: Closed | null) => void = () => {}
  // Null when the thread died. In both cases no code uses the file any more.
  const closed = new Promise<Closed | null>((resolve) => {
    resolveClosed = resolve
  })

  const release = (amount: number): void => {
    const released = Math.min(amount, queued)
    queued -= released
    queue.remove(released)
  }
  const part = link.join((message) => {
    if (message instanceof Error) {
      failure ??= message
      release(queued)
      resolveClosed(null)
    } else if (message.kind === 'consumed') {
      bytes = message.bytes
      buffers.give(message.buffer)
      release(message.queued)
      reachStep('write.after-batch')
    } else if (message.kind === 'failed') {
      failure ??= storageError(Object.assign(new Error(message.message), { code: message.code ?? undefined }), url)
      release(queued)
    } else {
      bytes = message.bytes
      release(queued)
      resolveClosed(message)
    }
  })

  const opening = store.create(path).then(
    (file) => {
      link.post({ kind: 'open', part, descriptor: file.handle.fd, layout: layoutOf(table) })
      return file
    },
    (error: unknown) => {
      link.leave(part)
      throw storageError(error, url)
    },
  )
  // The first call that waits for it throws the error. A caller may also abort the part before that.
  opening.catch(() => {})

  const throwIfFailed = (): void => {
    if (failure !== null) throw failure
    if (ended) throw new StorageError('The part has ended.', { details: { file: url } })
  }

  const finishFile = async (file: NewFile): Promise<FinishedFile> => {
    throwIfFailed()
    link.post({ kind: 'close', part })
    const end = await closed
    throwIfFailed()
    if (end === null || end.bytes === 0) throw new StorageError('A part needs rows.', { details: { file: url } })
    const footer = await readFooter(file.handle, end.bytes)
    if (footer.rows !== end.rows)
      throw new StorageError(`The encoder wrote ${footer.rows} of ${end.rows} rows.`, {
        code: 'storage.encoder',
        details: { file: url },
        hint: 'The batches of a part must have one schema, that of its table. Nothing of it is committed.',
      })
    const stats = leafStats(table, footer)
    await file.finish()
    return { rows: footer.rows, bytes: end.bytes, footerBytes: footer.bytes, sha256: end.sha256, stats }
  }

  const drop = async (): Promise<void> => {
    if (ended) return
    ended = true
    const file = await opening.catch(() => null)
    if (file === null) return
    link.post({ kind: 'abort', part })
    await closed
    link.leave(part)
    await file.discard()
  }

  return {
    /**
     * Takes an Arrow IPC stream. The caller must not use its buffer afterwards; the thread's `buffers` get it in the end. Resolves when the
     * thread may take more.
     */
    async write(ipc: Uint8Array<ArrayBuffer>): Promise<void> {
      await opening
      throwIfFailed()
      queued += ipc.byteLength
      queue.add(ipc.byteLength)
      link.post({ kind: 'write', part, ipc }, [ipc.buffer])
      await queue.room()
      throwIfFailed()
    },
    /** Bytes in the file so far, of complete row groups. */
    bytes: () => bytes,
    /** Writes the rest and makes the file durable. Removes the file when that fails. */
    async finish(): Promise<FinishedFile> {
      const file = await opening
      try {
        const finished = await finishFile(file)
        ended = true
        link.leave(part)
        return finished
      } catch (error) {
        await drop().catch(() => {})
        throw storageError(error, url)
      }
    },
    /** Removes the file; does nothing after `finish`. */
    abort: drop,
  }
}

function layoutOf(table: Table): PartLayout {
  const columns = Object.entries(table.columns as Columns)
    .filter(([, { type }]) => type.kind !== 'list' && type.kind !== 'struct')
    .map(([name, { encoding }]) => ({ name, encoding }))
  return { rowGroupRows: rowGroupRows[table.rowGroup], columns }
}

/** Counts the bytes that wait for the writing thread. */
function createWriteQueue(limit: number) {
  let queued = 0
  let waiting: (() => void)[] = []
  return {
    add(bytes: number): void {
      queued += bytes
    },
    remove(bytes: number): void {
      queued -= bytes
      if (queued >= limit) return
      for (const resolve of waiting) resolve()
      waiting = []
    },
    /** Resolves when fewer bytes than the limit are queued. */
    room: async (): Promise<void> => {
      if (queued >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
}

/** The part of Node's `WebAssembly` that this module uses. Node's types do not declare it. */
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => object }

let compiled: object | undefined

/**
 * The encoder's functions are so large that optimizing one takes as long as running it for dozens of batches. With this budget V8 optimizes
 * only those that do most of the work.
 */
const encoderBudget = 160_000_000

/** The encoder (parquet-wasm), compiled once for all threads of a process. Otherwise each thread would compile it again. */
function encoderModule(): object {
  if (compiled !== undefined) return compiled
  const file = createRequire(import.meta.url).resolve('parquet-wasm/esm/parquet_wasm_bg.wasm')
  setTieringBudget(encoderBudget)
  try {
    compiled = new WebAssembly.Module(readFileSync(file))
    return compiled
  } finally {
    setTieringBudget(usualTieringBudget)
  }
}

/** Problem and hint for errors that `diskRefusal` does not know. */
const meanings: Readonly<Record<string, readonly [problem: string, hint: string]>> = {
  ENOTDIR: ['A file is where a folder should be', 'Move the file away, or choose another folder with --lake.'],
  EEXIST: ['The file is already there', 'Parts are never overwritten: run again, which gives a new name.'],
  EMFILE: ['Too many files are open', 'Raise the limit of open files (ulimit -n) and run again.'],
  ENFILE: ['Too many files are open', 'Raise the limit of open files and run again.'],
  EIO: ['The disk gave an error', 'Check the disk; what is committed before it is not touched.'],
}

/** Errors that may pass, when the program that holds the open files ends. */
const passing = ['EMFILE', 'ENFILE']

/** Turns an error of the file system or of the encoder into a `StorageError` about a part. `file` is absolute. */
export function storageError(error: unknown, file: string, hasNoInodes = isOutOfInodes): StorageError {
  if (error instanceof StorageError) return error
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  const text = error instanceof Error ? error.message : String(error)
  if (code === undefined)
    return new StorageError(`The Parquet encoder refused a batch: ${text}`, {
      code: 'storage.encoder',
      details: { file },
      hint: 'Nothing of the part is committed; this is a mistake in the program: report it with these facts.',
      cause: error,
    })
  const refusal = diskRefusal(error, file, hasNoInodes)
  if (refusal !== null) {
    const { problem, ...facts } = refusal
    return new StorageError(`${problem}: ${text}`, { ...facts, details: { file }, cause: error })
  }
  const [problem, hint] = meanings[code] ?? ['The part could not be written', 'See the cause and run again.']
  return new StorageError(`${problem}: ${text}`, {
    code: `storage.${code.toLowerCase()}`,
    kind: passing.includes(code) ? 'transient' : 'lasting',
    details: { file },
    hint,
    cause: error,
  })
}

/** How the thread writes the columns of a part. */
export type PartLayout = {
  readonly rowGroupRows: number
  /** Top-level columns that are leaves. Nested leaves use the defaults of the file, because parquet-wasm cannot name them. */
  readonly columns: readonly { readonly name: string; readonly encoding: ColumnEncoding }[]
}

/** Messages from the main thread. A file descriptor is valid in every thread of the process; the main thread closes it. */
export type ToThread =
  | { readonly kind: 'open'; readonly part: number; readonly descriptor: number; readonly layout: PartLayout }
  | { readonly kind: 'write'; readonly part: number; readonly ipc: Uint8Array<ArrayBuffer> }
  /** Write the remaining batches and answer `closed`. */
  | { readonly kind: 'close'; readonly part: number }
  /** Drop the remaining batches and answer `closed`. */
  | { readonly kind: 'abort'; readonly part: number }

/** Messages from the writing thread. */
export type FromThread =
  /** A batch is encoded and its memory is free. `queued`: bytes of the batch; `bytes`: size of the file so far. */
  | {
      readonly kind: 'consumed'
      readonly part: number
      readonly queued: number
      readonly bytes: number
      readonly buffer: ArrayBuffer
    }
  /**
   * The file is complete, or dropped, and the thread does not use its descriptor any more. `encoderBytes`: bytes of memory that the encoder
   * has.
   */
  | {
      readonly kind: 'closed'
      readonly part: number
      readonly rows: number
      readonly bytes: number
      /** SHA-256 of all bytes of the file, in hexadecimal. */
      readonly sha256: string
      readonly encoderBytes: number
    }
  /** The thread cannot complete the part. `closed` still follows after a message to end it. */
  | { readonly kind: 'failed'; readonly part: number; readonly message: string; readonly code: string | null }
