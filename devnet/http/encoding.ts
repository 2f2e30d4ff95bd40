import { stringify } from 'lossless-json'
import { putChecksum } from '../../codec/hash.ts'
import { type Encoding, MethodError } from './parameters.ts'

const checksumBytes = 4

/** Bytes as hex with prefix. The hex includes the checksum, unless the encoding is `hexnc`. */
export function encodedBytes(bytes: Uint8Array, encoding: Exclude<Encoding, 'json'> = 'hex'): string {
  const plain = `0x${hexOf(bytes)}`
  if (encoding === 'hexnc') return plain
  const checksum = new Uint8Array(checksumBytes)
  putChecksum(bytes, checksum, 0)
  return plain + hexOf(checksum)
}

/**
 * Decodes prefixed hex and checks its checksum, if the encoding has one. Returns the node's error text as `mistake` if the text is invalid.
 */
export function decodedBytes(text: string, encoding: Encoding): { bytes: Uint8Array } | { mistake: string } {
  if (encoding === 'json') return { mistake: 'unsupported encoding in method' }
  if (!text.startsWith('0x')) return { mistake: 'missing 0x prefix to hex encoding' }
  if (!/^0x([0-9a-f]{2})*$/i.test(text)) return { mistake: 'encoding/hex: invalid byte' }
  const whole = Buffer.from(text.slice(2), 'hex')
  if (encoding === 'hexnc') return { bytes: whole }
  if (whole.length < checksumBytes) return { mistake: 'input string is smaller than the checksum size' }
  const bytes = whole.subarray(0, -checksumBytes)
  return encodedBytes(bytes) === text.toLowerCase() ? { bytes } : { mistake: 'invalid input checksum' }
}

/** Narrows the encoding for a method that returns only bytes. */
export function bytesOnly(encoding: Encoding): Exclude<Encoding, 'json'> {
  if (encoding === 'json') throw new MethodError('unsupported encoding in method')
  return encoding
}

/** JSON text; numbers may have any size. */
export function jsonText(value: unknown): string {
  return stringify(value) ?? 'null'
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}
