import { putChecksum } from './hash.ts'

const checksumBytes = 4

/** Why a text is no `0x…` with a checksum behind its bytes. */
export class CheckedHexError extends Error {}

/**
 * The bytes of the text with which nodes write blocks, transactions and UTXOs (encoding `hex`): `0x`, the bytes, and the last four of
 * their sha256 (wire-format.md 1.1), which are verified and left off. Throws `CheckedHexError`.
 */
export function bytesOfCheckedHex(text: unknown): Uint8Array {
  if (typeof text !== 'string' || !text.startsWith('0x')) throw new CheckedHexError('is no hex text')
  const length = (text.length - 2) / 2
  if (!Number.isInteger(length) || length <= checksumBytes) throw new CheckedHexError('has hex text of a wrong length')
  const all = Buffer.from(text.slice(2), 'hex')
  // Reading hex stops silently at the first character that is no digit: the length tells.
  if (all.length !== length) throw new CheckedHexError(`has a character that is no hex digit at ${2 + all.length * 2}`)
  const bytes = new Uint8Array(all.buffer, all.byteOffset, length - checksumBytes)
  const derived = Buffer.alloc(checksumBytes)
  putChecksum(bytes, derived, 0)
  if (!derived.equals(all.subarray(length - checksumBytes))) throw new CheckedHexError('has a wrong checksum')
  return bytes
}
