import { putChecksum } from '../../codec/hash.ts'
import { DecodeError } from '../errors.ts'
import { rfc3339ToNs } from '../lib/text/time.ts'
import type { Container } from '../model.ts'

/** The container that a request expects, and how its id is derived. */
type Expected = {
  /** Path of the index, such as `P/block`. */
  readonly path: string
  /** Null if any index is accepted. */
  readonly index: number | null
  readonly deriveId: (bytes: Uint8Array) => string
}

const checksumBytes = 4
const derivedChecksum = Buffer.alloc(checksumBytes)

/**
 * Reads a container from an answer of the index API (specification 2.2) and verifies its checksum and id. Its bytes are written to `slab`,
 * which needs `slabLength(answer)` bytes from `offset` on. Throws `DecodeError`.
 */
export function readContainer(answer: unknown, expected: Expected, slab: Buffer, offset: number): Container {
  const { id, bytes: hex, timestamp, index: stated, encoding } = fields(answer, expected)
  const index = typeof stated === 'string' && /^\d{1,16}$/.test(stated) ? Number(stated) : stated
  if (
    typeof index !== 'number' ||
    !Number.isSafeInteger(index) ||
    (expected.index !== null && index !== expected.index)
  )
    throw refused('has another index than the requested one', expected, { 'index received': String(stated) })
  const at = { ...expected, index }
  if (typeof id !== 'string' || typeof timestamp !== 'string') throw refused('has no id or no timestamp', at)
  if (encoding !== undefined && String(encoding).toLowerCase() !== 'hex')
    throw refused('is not encoded as hex', at, { encoding: String(encoding) })
  const acceptedAtNs = rfc3339ToNs(timestamp)
  if (acceptedAtNs === null) throw refused('has an unreadable timestamp', at, { timestamp })
  // Its column holds the years 1678 to 2262. The zero time of Go is in the year 1.
  if (BigInt.asIntN(64, acceptedAtNs) !== acceptedAtNs) throw refused('has an impossible timestamp', at, { timestamp })
  const bytes = payload(hex, at, slab, offset)
  const derived = deriveId(bytes, at)
  if (derived !== id)
    throw refused('has bytes that do not match its id', at, {
      'id given': id,
      'id derived': derived,
      bytes: `0x${Buffer.from(bytes.subarray(0, 32)).toString('hex')}… (${bytes.length} bytes)`,
    })
  return { index, id, acceptedAtNs, bytes }
}

/** Number of bytes that `readContainer` writes to the slab. */
export function slabLength(answer: unknown): number {
  const hex = typeof answer === 'object' && answer !== null && 'bytes' in answer ? answer.bytes : undefined
  return typeof hex === 'string' ? hex.length >> 1 : 0
}

/** The bytes of the text `0x…` without the last four, which are the checksum: the end of the payload's sha256. */
function payload(hex: unknown, at: Expected, slab: Buffer, offset: number): Uint8Array {
  if (typeof hex !== 'string' || !hex.startsWith('0x')) throw refused('has bytes that are not hex text', at)
  const length = (hex.length - 2) / 2
  if (!Number.isInteger(length) || length <= checksumBytes)
    throw refused('has hex text with a wrong length', at, { digits: hex.length - 2 })
  // `write` stops silently at the first character that is not a hex digit: compare the count.
  const written = slab.write(hex.slice(2), offset, length, 'hex')
  if (written !== length) throw refused('has a character that is not a hex digit', at, { position: 2 + written * 2 })
  const end = offset + length - checksumBytes
  const bytes = new Uint8Array(slab.buffer, slab.byteOffset + offset, length - checksumBytes)
  putChecksum(bytes, derivedChecksum, 0)
  if (derivedChecksum.readUInt32BE(0) !== slab.readUInt32BE(end))
    throw refused('has a wrong checksum', at, {
      'checksum given': slab.toString('hex', end, end + checksumBytes),
      'checksum derived': derivedChecksum.toString('hex'),
    })
  return bytes
}

function deriveId(bytes: Uint8Array, at: Expected): string {
  try {
    return at.deriveId(bytes)
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause)
    throw refused('has bytes that are not a container', at, { cause: text }, cause)
  }
}

function fields(answer: unknown, expected: Expected): Record<string, unknown> {
  if (typeof answer === 'object' && answer !== null) return answer as Record<string, unknown>
  throw refused('is not an object', expected)
}

/** The error about a container that is not the expected one. */
export function refused(
  what: string,
  { path, index }: Expected,
  details: Record<string, string | number> = {},
  cause?: unknown,
): DecodeError {
  const name = index === null ? `A container of ${path}` : `Container ${index} of ${path}`
  return new DecodeError(`${name} ${what}.`, {
    code: 'decode.container',
    details: { path, index, ...details },
    hint: 'The answer was damaged in transit, or the index of the node is damaged: try another node.',
    cause,
  })
}
