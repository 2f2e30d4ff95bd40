import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import type { Pool } from 'undici'
import type { Answer } from '../define/connection.ts'
import { TransportError } from '../errors.ts'
import { type BufferPool, createBufferPool, setTierUp } from '../lib/memory.ts'
import { longestTimerMs } from '../lib/wait.ts'
import { connectionFailure, damaged, type RequestedUrl, tooLarge, tooSlow, unknownEncoding } from './failures.ts'

type Attempt = BodyLimits & {
  readonly method: 'GET' | 'POST'
  /** Includes the prefix and query of the base URL. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
  /** Each limits the time until the whole answer has arrived. */
  readonly deadlines: ReturnType<typeof createDeadlines>
  readonly signal: AbortSignal
}

/** Sends a request once and reads the whole answer, whatever its status. Throws the signal's reason when it is aborted. */
export async function attempt(pool: Pool, options: Attempt, requested: RequestedUrl): Promise<Answer> {
  options.signal.throwIfAborted()
  try {
    const answer = await withParser(() => exchange(pool, options, requested))
    const encoding = answer.headers['content-encoding']
    return encoding === undefined ? answer : await decompressed(answer, encoding, options, requested)
  } catch (error) {
    options.signal.throwIfAborted()
    throw connectionFailure(error, requested)
  }
}

/** Sends a request and returns the answer; its body may still be compressed. `dispatch` costs half of what `request` with its stream does. */
function exchange(pool: Pool, options: Attempt, requested: RequestedUrl): Promise<Answer> {
  const { method, path, headers, body: sent, signal, deadlines } = options
  const body = createBody(options, requested)
  return new Promise((resolve, reject) => {
    let head = { status: 0, headers: {} }
    let abort: ((reason: Error) => void) | null = null
    let failure: Error | null = null
    let isSettled = false
    const onAbort = () => fail(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    const endDeadline = deadlines.start((milliseconds) => fail(tooSlow(milliseconds, requested)))

    function settle(): void {
      isSettled = true
      endDeadline()
      signal.removeEventListener('abort', onAbort)
    }

    function fail(error: Error): void {
      if (isSettled) return
      failure = error
      settle()
      body.drop()
      reject(error)
      abort?.(error)
    }

    function unlessSettled(action: () => void): void {
      if (isSettled) return
      try {
        action()
      } catch (error) {
        fail(error as Error)
      }
    }

    pool.dispatch(
      { method, path, headers, body: sent },
      {
        onRequestStart(controller) {
          if (failure !== null) controller.abort(failure)
          abort = (reason) => controller.abort(reason)
        },
        onResponseStart(_, status, given) {
          head = { status, headers: flat(given) }
          unlessSettled(() => body.expect(Number(given['content-length'] ?? 0)))
        },
        onResponseData: (_, chunk) => unlessSettled(() => body.add(chunk)),
        onResponseEnd() {
          if (isSettled) return
          settle()
          resolve({ ...head, body: body.bytes() })
        },
        onResponseError: (_, error) => fail(error),
      },
    )
  })
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) result[name] = typeof value === 'string' ? value : value.join(', ')
  return result
}

/** Value of the header `accept-encoding` of every request. */
export const acceptedEncoding = 'gzip, br'

/** As large as the chunks of a socket: each chunk costs a turn of the event loop. */
const chunkSize = 64 * 1024

const gunzip = () => createGunzip({ chunkSize })

/** Decompressors by the name of the encoding. */
const decompressors: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['br', () => createBrotliDecompress({ chunkSize })],
])

/** Larger bodies are rare: the garbage collector frees their memory. */
const keptBytes = 2 * 1024 * 1024

/** Memory for `count` concurrent bodies. */
export function createBodyBuffers(count: number): BufferPool {
  return createBufferPool({ count, bytes: keptBytes })
}

type BodyLimits = {
  /** Size limit of the body, in bytes, compressed and not. */
  readonly maxBytes: number
  /** Where the memory of the body comes from; the caller gives it back. */
  readonly buffers: BufferPool
}

/** A body in one buffer, to which each chunk is copied as it comes. Throws `TransportError` for a body that is too large. */
function createBody({ maxBytes, buffers }: BodyLimits, requested: RequestedUrl) {
  let whole = Buffer.alloc(0)
  let length = 0

  function refuseBeyondLimit(bytes: number): void {
    if (bytes > maxBytes) throw tooLarge(maxBytes, requested)
  }

  function makeRoom(bytes: number): void {
    if (bytes <= whole.length) return
    const wider = Buffer.from(buffers.take(Math.max(bytes, Math.min(2 * whole.length, maxBytes))))
    wider.set(whole.subarray(0, length))
    drop()
    whole = wider
  }

  function drop(): void {
    if (whole.length > 0) buffers.give(whole.buffer)
    whole = Buffer.alloc(0)
  }

  return {
    /** Makes room for the length that the answer announces, as far as memory is kept. */
    expect(bytes: number): void {
      refuseBeyondLimit(bytes)
      makeRoom(Math.min(bytes, keptBytes))
    },
    add(chunk: Uint8Array): void {
      refuseBeyondLimit(length + chunk.length)
      makeRoom(length + chunk.length)
      whole.set(chunk, length)
      length += chunk.length
    },
    /** What has come, in memory of the pool. */
    bytes: () => whole.subarray(0, length),
    /** Gives the memory back. */
    drop,
  }
}

/**
 * An answer without its `content-encoding`, in memory of the pool; that of the given body is given back. Throws `TransportError` if the body
 * is too large, damaged or in an encoding that was not accepted, and the signal's reason when it is aborted.
 */
async function decompressed(
  answer: Answer,
  encoding: string,
  options: Attempt,
  requested: RequestedUrl,
): Promise<Answer> {
  const coding = encoding.trim().toLowerCase()
  // An empty body that claims to be compressed is an empty body.
  if (coding === '' || coding === 'identity' || answer.body.length === 0) return answer
  const body = createBody(options, requested)
  try {
    const decompressor = decompressors.get(coding)?.()
    if (decompressor === undefined) throw unknownEncoding(coding, acceptedEncoding, requested)
    for await (const chunk of decompressor.end(answer.body)) {
      options.signal.throwIfAborted()
      body.add(chunk as Buffer)
    }
    return { ...answer, body: body.bytes() }
  } catch (error) {
    body.drop()
    const failure = isZlibError(error) ? damaged(error, requested) : error
    const isIllegible =
      failure instanceof TransportError && ['transport.unreadable', 'transport.encoding'].includes(failure.code)
    // The status of a refusal is enough, even if a proxy in front of the service damaged the body.
    if (answer.status >= 400 && isIllegible) return { ...answer, body: Buffer.alloc(0) }
    throw failure
  } finally {
    options.buffers.give(answer.body.buffer)
  }
}

/** Brotli has its own error codes, such as `ERR__ERROR_FORMAT_PADDING_2`. */
function isZlibError(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    /^(Z_|ERR_BROTLI_|ERR__?ERROR_)/.test(error.code)
  )
}

type Deadline = { atMs: number; readonly onExpired: (milliseconds: number) => void }

/** A timer that is later than this was held up by a computation of this thread. */
const usualDelayMs = 100

/** One timer serves all deadlines: they end in the order in which they began. A timer for each request would cost more than the rest of it. */
export function createDeadlines(milliseconds: number) {
  const running = new Set<Deadline>()
  let isArmed = false

  function arm(): void {
    const [first] = running
    if (isArmed || first === undefined) return
    isArmed = true
    const dueMs = first.atMs
    // A process that waits for nothing else may end.
    setTimeout(() => expire(dueMs), Math.min(longestTimerMs, dueMs - performance.now())).unref()
  }

  function expire(dueMs: number): void {
    isArmed = false
    const now = performance.now()
    const heldUpMs = now - dueMs
    // While this thread computed, it could not read what arrived. It gets that time again to do so.
    if (heldUpMs > usualDelayMs) for (const deadline of running) deadline.atMs = Math.max(deadline.atMs, now + heldUpMs)
    for (const deadline of running) {
      if (deadline.atMs > now) break
      running.delete(deadline)
      deadline.onExpired(milliseconds)
    }
    arm()
  }

  return {
    /**
     * Calls `onExpired` with this length when it has passed, unless the returned function is called before. Time in which this thread
     * computed and could not read is given back.
     */
    start(onExpired: Deadline['onExpired']): () => void {
      const deadline = { atMs: performance.now() + milliseconds, onExpired }
      running.add(deadline)
      arm()
      return () => running.delete(deadline)
    },
  }
}

/**
 * undici parses HTTP with a WebAssembly module, which it instantiates with the first connection. After a few answers V8 optimizes one large
 * function of it, which takes twice as long as Node takes to start. The optimized function saves one microsecond per answer.
 */
let isSpared = false

/**
 * Keeps V8 from optimizing the parser in this thread. Only for a process of our own: until the first answer arrives, no other WebAssembly
 * module that is instantiated is optimized either.
 */
export function spareParser(): void {
  isSpared = true
}

/** Runs an attempt; the first one instantiates the parser. */
export async function withParser<T>(attempt: () => Promise<T>): Promise<T> {
  if (!isSpared) return attempt()
  isSpared = false
  setTierUp(false)
  try {
    return await attempt()
  } catch (error) {
    // The connection may have failed before the parser was instantiated.
    isSpared = true
    throw error
  } finally {
    setTierUp(true)
  }
}
