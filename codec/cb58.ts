import { decodeBase58, encodeBase58 } from './base58.ts'
import { DecodeError } from './errors.ts'
import { putChecksum } from './hash.ts'
import { cached } from './text-cache.ts'

/** Returns base58 of the bytes and the last four bytes of their sha256 (wire-format.md 1.2). */
export function encodeCb58(bytes: Uint8Array): string {
  const checked = new Uint8Array(bytes.length + 4)
  checked.set(bytes)
  putChecksum(bytes, checked, bytes.length)
  return encodeBase58(checked)
}

/** Returns the bytes of CB58 text. Throws `DecodeError` if a character or the checksum is wrong. */
export function decodeCb58(text: string): Uint8Array {
  const checked = decodeBase58(text)
  if (checked === null || checked.length < 4) throw new DecodeError(`${JSON.stringify(text)} is not CB58.`)
  const bytes = checked.subarray(0, checked.length - 4)
  const checksum = new Uint8Array(4)
  putChecksum(bytes, checksum, 0)
  if (checksum.some((byte, i) => byte !== checked[bytes.length + i]))
    throw new DecodeError(`The checksum of ${JSON.stringify(text)} is wrong.`)
  return bytes
}

/** Returns the text of a 32-byte id. A cache keeps the texts of repeated ids. */
export const idText = cached(32, encodeCb58)
