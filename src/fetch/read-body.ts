import type { Readable, Transform } from 'node:stream'
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

export type BodyOptions = {
  /** Header `content-encoding`. */
  readonly encoding: string | undefined
  /** Size limit of the decompressed body, in bytes. */
  readonly maxBytes: number
  /** Where the memory of the body comes from; the caller gives it back. */
  readonly buffers: BufferPool
}

/** Reads a whole body and decompresses it. Throws `TransportError` if it is too large, damaged or in an encoding that was not accepted. */
export async function readBody(
  body: Readable,
  { encoding = '', maxBytes, buffers }: BodyOptions,
  requested: RequestedUrl,
): Promise<Buffer<ArrayBuffer>> {
  let whole = Buffer.from(buffers.take(chunkSize))
  let length = 0
  const collect = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of chunks) {
      if (length + chunk.length > maxBytes) throw tooLarge(maxBytes, requested)
      if (length + chunk.length > whole.length) {
        const wider = Buffer.from(buffers.take(Math.max(2 * whole.length, length + chunk.length)))
        wider.set(whole.subarray(0, length))
        buffers.give(whole.buffer)
        whole = wider
      }
      whole.set(chunk, length)
      length += chunk.length
    }
  }
  try {
    const coding = encoding.trim().toLowerCase()
    const decompressor = decompressors.get(coding)
    if (coding === '' || coding === 'identity') await collect(body)
    else if (decompressor !== undefined) await decompress(body, decompressor(), collect, requested)
    else throw unknownEncoding(coding, acceptedEncoding, requested)
    return whole.subarray(0, length)
  } catch (error) {
    buffers.give(whole.buffer)
    throw error
  }
}

async function decompress(
  body: Readable,
  decompressor: Transform,
  collect: (chunks: AsyncIterable<Buffer>) => Promise<void>,
  requested: RequestedUrl,
): Promise<void> {
  let isEmpty = true
  body.once('data', () => {
    isEmpty = false
  })
  body.once('error', (error) => decompressor.destroy(error)).pipe(decompressor)
  try {
    await collect(decompressor)
  } catch (error) {
    if (!isZlibError(error)) throw error
    // An empty body that claims to be compressed is an empty body.
    if (!isEmpty) throw damaged(error, requested)
  } finally {
    decompressor.destroy()
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
