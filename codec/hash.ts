import { hash } from 'node:crypto'

/** Converts text with one character per byte. `crypto.hash` returns such text four times faster than a Buffer. */
function bytesOf(latin1: string): Uint8Array {
  const bytes = new Uint8Array(latin1.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = latin1.charCodeAt(i)
  return bytes
}

/** Returns the 32-byte sha256 of `bytes`. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return bytesOf(hash('sha256', bytes, 'binary'))
}

export function ripemd160(bytes: Uint8Array): Uint8Array {
  return bytesOf(hash('ripemd160', bytes, 'binary'))
}

/** Writes the last four bytes of the sha256 of `bytes` to `target` at `at`: the checksum of CB58 and of hex in JSON answers. */
export function putChecksum(bytes: Uint8Array, target: Uint8Array, at: number): void {
  const digest = hash('sha256', bytes, 'binary')
  for (let i = 0; i < 4; i++) target[at + i] = digest.charCodeAt(28 + i)
}

const checksumBytes = 4

/** The reason why a text is not `0x…` with bytes and their checksum. */
export class CheckedHexError extends Error {}

/**
 * Returns the bytes of a block, transaction or UTXO that a node wrote as text (encoding `hex`): `0x`, the bytes, and the last four bytes of
 * their sha256 (wire-format.md 1.1). Verifies the checksum and removes it. Throws `CheckedHexError`.
 */
export function bytesOfCheckedHex(text: unknown): Uint8Array {
  if (typeof text !== 'string' || !text.startsWith('0x')) throw new CheckedHexError('is no hex text')
  const length = (text.length - 2) / 2
  if (!Number.isInteger(length) || length <= checksumBytes) throw new CheckedHexError('has hex text of a wrong length')
  const all = Buffer.from(text.slice(2), 'hex')
  // `Buffer.from` stops silently at the first character that is not a hex digit. The length shows that.
  if (all.length !== length) throw new CheckedHexError(`has a character that is no hex digit at ${2 + all.length * 2}`)
  const bytes = new Uint8Array(all.buffer, all.byteOffset, length - checksumBytes)
  const derived = Buffer.alloc(checksumBytes)
  putChecksum(bytes, derived, 0)
  if (!derived.equals(all.subarray(length - checksumBytes))) throw new CheckedHexError('has a wrong checksum')
  return bytes
}
