import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'

/** Hashes of the bytes of a file. */
export type Digest = {
  readonly bytes: number
  /** Hexadecimal. */
  readonly sha256: string
  readonly md5: Buffer
  /** What S3 calls the object: the MD5, or the MD5 of those of the parts with their number. */
  readonly etag: string
}

/** Reads a file once. `partBytes`: the size of the parts that it is sent in when it is larger than one. */
export async function digestOf(file: FileHandle, partBytes: number): Promise<Digest> {
  const [sha256, md5] = [createHash('sha256'), createHash('md5')]
  const parts: Buffer[] = []
  const piece = Buffer.allocUnsafe(1024 * 1024)
  let part = createHash('md5')
  let bytes = 0
  for (;;) {
    const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, partBytes - (bytes % partBytes)), bytes)
    if (bytesRead === 0) break
    const read = piece.subarray(0, bytesRead)
    for (const hash of [sha256, md5, part]) hash.update(read)
    bytes += bytesRead
    if (bytes % partBytes !== 0) continue
    parts.push(part.digest())
    part = createHash('md5')
  }
  if (bytes % partBytes !== 0) parts.push(part.digest())
  const whole = md5.digest()
  const ofParts = createHash('md5').update(Buffer.concat(parts)).digest('hex')
  const etag = bytes <= partBytes ? whole.toString('hex') : `${ofParts}-${parts.length}`
  return { bytes, sha256: sha256.digest('hex'), md5: whole, etag }
}
