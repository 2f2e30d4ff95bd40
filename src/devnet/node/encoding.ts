import { stringify } from 'lossless-json'
import { putChecksum } from '../../codec/hash.ts'
import { type Encoding, MethodError } from '../http/parameters.ts'

const checksumBytes = 4

/** Bytes as hex with prefix, and with their checksum unless the encoding is `hexnc`. */
export function encodedBytes(bytes: Uint8Array, encoding: Exclude<Encoding, 'json'> = 'hex'): string {
  const plain = `0x${hexOf(bytes)}`
  if (encoding === 'hexnc') return plain
  const checksum = new Uint8Array(checksumBytes)
  putChecksum(bytes, checksum, 0)
  return plain + hexOf(checksum)
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
