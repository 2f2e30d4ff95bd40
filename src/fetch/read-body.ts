import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { type BufferPool, createBufferPool } from '../lib/buffer-pool.ts'
import { damaged, type RequestedUrl, tooLarge, unknownEncoding } from './failures.ts'

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
  /** Size limit of the body, compressed and not. */
  readonly maxBytes: number
  /** Where the memory of the body comes from; the caller gives it back. */
  readonly buffers: BufferPool
}

/** A body in one buffer, to which each chunk is copied as it comes. */
type Body = {
  /** Makes room for the length that the answer announces, as far as memory is kept. Throws `TransportError` if it is too large. */
  expect(bytes: number): void
  /** Throws `TransportError` if the body is too large. */
  add(chunk: Uint8Array): void
  /** What has come, in memory of the pool. */
  bytes(): Buffer<ArrayBuffer>
  /** Gives the memory back. */
  drop(): void
}

export function createBody({ maxBytes, buffers }: BodyLimits, requested: RequestedUrl): Body {
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
    expect(bytes) {
      refuseBeyondLimit(bytes)
      makeRoom(Math.min(bytes, keptBytes))
    },
    add(chunk) {
      refuseBeyondLimit(length + chunk.length)
      makeRoom(length + chunk.length)
      whole.set(chunk, length)
      length += chunk.length
    },
    bytes: () => whole.subarray(0, length),
    drop,
  }
}

/**
 * A body without its `content-encoding`, in memory of the pool; that of `bytes` is given back. Throws `TransportError` if the body is too
 * large, damaged or in an encoding that was not accepted, and the signal's reason when it is aborted.
 */
export async function decompress(
  bytes: Buffer<ArrayBuffer>,
  encoding: string,
  { signal, ...limits }: BodyLimits & { readonly signal: AbortSignal },
  requested: RequestedUrl,
): Promise<Buffer<ArrayBuffer>> {
  const coding = encoding.trim().toLowerCase()
  // An empty body that claims to be compressed is an empty body.
  if (coding === '' || coding === 'identity' || bytes.length === 0) return bytes
  const body = createBody(limits, requested)
  try {
    const decompressor = decompressors.get(coding)?.()
    if (decompressor === undefined) throw unknownEncoding(coding, acceptedEncoding, requested)
    for await (const chunk of decompressor.end(bytes)) {
      signal.throwIfAborted()
      body.add(chunk as Buffer)
    }
    return body.bytes()
  } catch (error) {
    body.drop()
    throw isZlibError(error) ? damaged(error, requested) : error
  } finally {
    limits.buffers.give(bytes.buffer)
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
