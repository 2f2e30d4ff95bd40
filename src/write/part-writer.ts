import { type Columns, rowGroupRows, type Table } from '../define/index.ts'
import { type ChainlakeError, StorageError } from '../errors.ts'
import type { BufferPool } from '../lib/buffer-pool.ts'
import { reachStep } from '../lib/step.ts'
import type { LeafStats } from '../model.ts'
import type { NewFile, Store } from '../store/store.ts'
import { readFooter } from './footer.ts'
import { leafStats } from './leaf-stats.ts'
import type { FromThread, PartLayout, ToThread } from './messages.ts'
import { storageError } from './storage-error.ts'
import type { WriteQueue } from './write-queue.ts'

export type FinishedFile = {
  readonly rows: number
  readonly bytes: number
  /** Length of the thrift metadata in bytes, without its length word and the magic. */
  readonly footerBytes: number
  /** SHA-256 of all bytes in hexadecimal, computed while they were written. */
  readonly sha256: string
  readonly stats: readonly LeafStats[]
}

/** One Parquet file under construction. Every method throws `StorageError` once the file cannot be completed. */
export type PartWriter = {
  /**
   * Takes an Arrow IPC stream. The caller must not use its buffer afterwards; the thread's `buffers` get it in the end. Resolves when the
   * thread may take more.
   */
  write(ipc: Uint8Array<ArrayBuffer>): Promise<void>
  /** Bytes in the file so far, of complete row groups. */
  bytes(): number
  /** Writes the rest and makes the file durable. Removes the file when that fails. */
  finish(): Promise<FinishedFile>
  /** Removes the file; does nothing after `finish`. */
  abort(): Promise<void>
}

/** What a part needs from the thread that all parts share. */
export type ThreadLink = {
  /** Returns the number of this part in messages. `hear` gets the thread's messages about it; an error means that the thread is dead. */
  join(hear: (message: FromThread | ChainlakeError) => void): number
  leave(part: number): void
  post(message: ToThread, transfer?: ArrayBuffer[]): void
  readonly queue: WriteQueue
  /** Gets the memory of batches when they are encoded. */
  readonly buffers: BufferPool
}

type Closed = { readonly rows: number; readonly bytes: number; readonly sha256: string }

/** `path` is the name of the file in the store. */
export function createPartWriter(link: ThreadLink, store: Store, path: string, table: Table): PartWriter {
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
    async write(ipc) {
      await opening
      throwIfFailed()
      queued += ipc.byteLength
      queue.add(ipc.byteLength)
      link.post({ kind: 'write', part, ipc }, [ipc.buffer])
      await queue.room()
      throwIfFailed()
    },
    bytes: () => bytes,
    async finish() {
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
    abort: drop,
  }
}

function layoutOf(table: Table): PartLayout {
  const columns = Object.entries(table.columns as Columns)
    .filter(([, { type }]) => type.kind !== 'list' && type.kind !== 'struct')
    .map(([name, { encoding }]) => ({ name, encoding }))
  return { rowGroupRows: rowGroupRows[table.rowGroup], columns }
}
