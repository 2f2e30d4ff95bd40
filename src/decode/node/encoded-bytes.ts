import { idText } from '../../../codec/cb58.ts'
import { sha256 } from '../../../codec/hash.ts'
import { DecodeError, OtherSourceError } from '../../errors.ts'
import { pathOf, type Reading, wrong } from '../json/fields.ts'
import { text } from '../json/value-fields.ts'

const checksumBytes = 4

/**
 * Returns bytes that a node wrote as hex, followed by the last four bytes of their sha256 (`hex`, `hexc`) or not (`hexnc`). Throws
 * `DecodeError` if the checksum is wrong.
 */
export function encodedBytes(at: Reading, name: string, encoding: string): Uint8Array {
  return bytesOfHex(text(at, name), pathOf(at, name), encoding)
}

/** Like `encodedBytes`, for the text at `path`. */
export function bytesOfHex(hex: string, path: string, encoding: string): Uint8Array {
  const all = /^0x([0-9a-f]{2})*$/i.test(hex) ? new Uint8Array(Buffer.from(hex.slice(2), 'hex')) : null
  if (all === null) throw wrong(path, 'is no hexadecimal text', hex)
  if (encoding === 'hexnc') return all
  const bytes = all.subarray(0, Math.max(0, all.length - checksumBytes))
  const given = Buffer.from(all.subarray(bytes.length)).toString('hex')
  const derived = Buffer.from(sha256(bytes).subarray(-checksumBytes)).toString('hex')
  if (given !== derived) throw wrong(path, `has the checksum ${given} instead of ${derived}`, hex)
  return bytes
}

/** Throws `DecodeError` if the sha256 of the bytes is not the requested id. */
export function mustHaveId(bytes: Uint8Array, id: string, what: string): void {
  const derived = idText(sha256(bytes))
  if (derived !== id) throw otherThanRequested(what, id, derived)
}

/** Returns the `DecodeError` about an answer with another object than requested. */
export function otherThanRequested(what: string, requested: string, given: string): DecodeError {
  return new DecodeError(`The node answers with another ${what} than the requested one.`, {
    code: 'decode.field',
    details: { requested, given },
    hint: 'Nothing of this unit was written. The answer was damaged on the way, or the node is wrong: try another one.',
  })
}

/** Throws `OtherSourceError` if a transaction states another chain than the requested one. */
export function mustBeOfBlockchain(stated: string, requested: string, txId: string): void {
  if (stated === requested) return
  throw new OtherSourceError(`Transaction ${txId} is of another chain than the requested one.`, {
    details: { 'blockchain stated': stated, 'blockchain requested': requested },
    hint: 'Nothing of this unit was written. The node serves another chain under this path: check --node-url.',
  })
}
