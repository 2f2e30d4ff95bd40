import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'

/** Size and hashes of a file. */
export type Digest = {
  readonly bytes: number
  /** Hexadecimal. */
  readonly sha256: string
  readonly md5: Buffer
  /** The ETag in S3: the MD5, or the MD5 of the MD5s of the parts, followed by their number. */
  readonly etag: string
}

/** Reads a file once. `partBytes` is the part size of multipart uploads, which larger files use. */
export async function digestOf(file: FileHandle, partBytes: number): Promise<Digest> {
  const [sha256, md5] = [createHash('sha256'), createHash('md5')]
  const parts: Buffer[] = []
  const buffer = Buffer.allocUnsafe(1024 * 1024)
  let part = createHash('md5')
  let bytes = 0
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, partBytes - (bytes % partBytes)), bytes)
    if (bytesRead === 0) break
    const read = buffer.subarray(0, bytesRead)
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
