import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type BufferPool, createBufferPool } from '../lib/buffer-pool.ts'
import { type Asked, damaged, tooLarge, unknownEncoding } from './failures.ts'

/** What every request says it can read. */
export const acceptedEncoding = 'gzip'

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
    if (coding === '' || coding === 'identity') await collect(body)
    else if (coding === 'gzip' || coding === 'x-gzip') await gunzip(body, collect, asked)
    else throw unknownEncoding(coding, asked)
    return whole.subarray(0, length)
  } catch (error) {
    buffers.give(whole.buffer)
    throw error
  }
}

/** Pieces as large as those that come from a socket: a piece is a turn of the event loop. */
const chunkSize = 64 * 1024

async function gunzip(
  body: Readable,
  collect: (pieces: AsyncIterable<Buffer>) => Promise<void>,
  asked: Asked,
): Promise<void> {
  const gunzip = createGunzip({ chunkSize })
  let isEmpty = true
  body.once('data', () => {
    isEmpty = false
  })
  body.once('error', (error) => gunzip.destroy(error)).pipe(gunzip)
  try {
    await collect(gunzip)
  } catch (error) {
    if (!isZlibError(error)) throw error
    // Nothing, said to be compressed, is nothing.
    if (!isEmpty) throw damaged(error, asked)
  } finally {
    gunzip.destroy()
  }
}

function isZlibError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_')
}
