import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type Asked, damaged, tooLarge, unknownEncoding } from './failures.ts'

/** What every request says it can read. */
export const acceptedEncoding = 'gzip'

export type BodyOptions = {
  /** Header `content-encoding`. */
  readonly encoding: string | undefined
  /** Largest body in bytes, counted as it is after decoding. */
  readonly maxBytes: number
}

/** Reads a whole body and decodes it. Throws `TransportError` when it is too large, damaged or encoded in a way not asked for. */
export async function readBody(
  body: Readable,
  { encoding = '', maxBytes }: BodyOptions,
  asked: Asked,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  const collect = async (pieces: AsyncIterable<Buffer>): Promise<void> => {
    for await (const piece of pieces) {
      length += piece.length
      if (length > maxBytes) throw tooLarge(maxBytes, asked)
      chunks.push(piece)
    }
  }
  const coding = encoding.trim().toLowerCase()
  if (coding === '' || coding === 'identity') await collect(body)
  else if (coding === 'gzip' || coding === 'x-gzip') await gunzip(body, collect, asked)
  else throw unknownEncoding(coding, asked)
  return Buffer.concat(chunks, length)
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
