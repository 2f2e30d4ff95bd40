import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { type BufferPool, createBufferPool } from '../lib/buffer-pool.ts'
import { type Asked, damaged, tooLarge, unknownEncoding } from './failures.ts'

/** What every request says it can read. */
export const acceptedEncoding = 'gzip, br'

/** Pieces as large as those that come from a socket: a piece is a turn of the event loop. */
const chunkSize = 64 * 1024

const gunzip = () => createGunzip({ chunkSize })

/** What decompresses a body, by the name of its encoding. */
const decompressors: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['br', () => createBrotliDecompress({ chunkSize })],
])

/** Larger bodies are seldom: their memory is left to the garbage collector. */
const keptBytes = 2 * 1024 * 1024

/** Memory for `count` bodies at a time. */
export function createBodyBuffers(count: number): BufferPool {
  return createBufferPool({ count, bytes: keptBytes })
}

export type BodyOptions = {
  /** Header `content-encoding`. */
  readonly encoding: string | undefined
  /** Largest body in bytes, counted as it is after decoding. */
  readonly maxBytes: number
  /** Where the memory of the body comes from; whoever is done with the body gives it back. */
  readonly buffers: BufferPool
}

/** Reads a whole body and decodes it. Throws `TransportError` when it is too large, damaged or encoded in a way not asked for. */
export async function readBody(
  body: Readable,
  { encoding = '', maxBytes, buffers }: BodyOptions,
  asked: Asked,
): Promise<Buffer<ArrayBuffer>> {
  let whole = Buffer.from(buffers.take(chunkSize))
  let length = 0
  const collect = async (pieces: AsyncIterable<Buffer>): Promise<void> => {
    for await (const piece of pieces) {
      if (length + piece.length > maxBytes) throw tooLarge(maxBytes, asked)
      if (length + piece.length > whole.length) {
        const wider = Buffer.from(buffers.take(Math.max(2 * whole.length, length + piece.length)))
        wider.set(whole.subarray(0, length))
        buffers.give(whole.buffer)
        whole = wider
      }
      whole.set(piece, length)
      length += piece.length
    }
  }
  try {
    const coding = encoding.trim().toLowerCase()
    const decompressor = decompressors.get(coding)
    if (coding === '' || coding === 'identity') await collect(body)
    else if (decompressor !== undefined) await decompress(body, decompressor(), collect, asked)
    else throw unknownEncoding(coding, acceptedEncoding, asked)
    return whole.subarray(0, length)
  } catch (error) {
    buffers.give(whole.buffer)
    throw error
  }
}

async function decompress(
  body: Readable,
  decompressor: Transform,
  collect: (pieces: AsyncIterable<Buffer>) => Promise<void>,
  asked: Asked,
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
    // Nothing, said to be compressed, is nothing.
    if (!isEmpty) throw damaged(error, asked)
  } finally {
    decompressor.destroy()
  }
}

/** Brotli has codes of its own, such as `ERR__ERROR_FORMAT_PADDING_2`. */
function isZlibError(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    /^(Z_|ERR_BROTLI_|ERR__?ERROR_)/.test(error.code)
  )
}
