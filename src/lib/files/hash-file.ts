import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'

const pieceBytes = 1024 * 1024

/** SHA-256 of a whole file, in hexadecimal. It reads the next piece while it hashes the last one; two pieces of 1 MiB are in memory. */
export async function hashFile(file: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  const pieces = [Buffer.allocUnsafe(pieceBytes), Buffer.allocUnsafe(pieceBytes)] as const
  let at = 0
  let reading = file.read(pieces[0], 0, pieceBytes, at)
  for (let turn = 0; ; turn = 1 - turn) {
    const { bytesRead, buffer } = await reading
    if (bytesRead === 0) return hash.digest('hex')
    at += bytesRead
    reading = file.read(pieces[turn === 0 ? 1 : 0], 0, pieceBytes, at)
    // The next `await` handles a rejection. Without this handler an early rejection would count as unhandled.
    reading.catch(() => undefined)
    hash.update(buffer.subarray(0, bytesRead))
  }
}
