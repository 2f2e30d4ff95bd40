import { stringify } from 'lossless-json'
import { putChecksum } from '../../codec/hash.ts'
import { type Encoding, MethodError } from './parameters.ts'

const checksumBytes = 4

/** Bytes as hex with prefix, and with their checksum unless the encoding is `hexnc`. */
export function encodedBytes(bytes: Uint8Array, encoding: Exclude<Encoding, 'json'> = 'hex'): string {
  const plain = `0x${hexOf(bytes)}`
  if (encoding === 'hexnc') return plain
  const checksum = new Uint8Array(checksumBytes)
  putChecksum(bytes, checksum, 0)
  return plain + hexOf(checksum)
}

/** The bytes of a prefixed hex text with a valid checksum, if the encoding has one; otherwise throws the error of a node. */
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

/** The encoding, where a method gives bytes only. */
export function bytesOnly(encoding: Encoding): Exclude<Encoding, 'json'> {
  if (encoding === 'json') throw new MethodError('unsupported encoding in method')
  return encoding
}

/** JSON text, numbers of any size among it. */
export function jsonText(value: unknown): string {
  return stringify(value) ?? 'null'
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}
