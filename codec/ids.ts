import { base58, bech32 } from '@scure/base'
import { DecodeError } from './errors.ts'
import { putChecksum, sha256 } from './hash.ts'
import { setU32 } from './linear.ts'

let scratch = new Uint8Array(4096)

/** Returns the id of a transaction from its bytes inside a block, which have no codec version (wire-format.md 1.2). */
export function txIdInBlock(slice: Uint8Array): Uint8Array {
  const length = slice.length + 2
  // The first two bytes stay zero (codec version 0): no code writes to them.
  if (scratch.length < length) scratch = new Uint8Array(length * 2)
  scratch.set(slice, 2)
  return sha256(scratch.subarray(0, length))
}

const utxoScratch = new Uint8Array(40)

/** Returns the id of a UTXO: sha256 of its index (u64) and the id of its transaction. */
export function utxoId(txId: Uint8Array, index: number): Uint8Array {
  setU32(utxoScratch, 4, index)
  utxoScratch.set(txId, 8)
  return sha256(utxoScratch)
}

const validationScratch = new Uint8Array(36)

/** Returns the validation id of the validator at `position` in a ConvertSubnetToL1Tx. */
export function convertedValidationId(subnetId: Uint8Array, position: number): Uint8Array {
  validationScratch.set(subnetId)
  setU32(validationScratch, 32, position)
  return sha256(validationScratch)
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const base58Letters = Uint8Array.from(alphabet, (letter) => letter.charCodeAt(0))

/** 58^5: a limb holds five digits. This is the greatest power of 58 that fits 31 bits, and a double holds its product with 2^16 exactly. */
const limbBase = 58 ** 5

/** Most texts are ids: 36 bytes with their checksum, ten limbs. They share buffers. */
const limbsOfId = 10
const limbsOfIds = new Int32Array(limbsOfId + 1)
const textOfId = Buffer.alloc(36 + limbsOfId * 5)

/** Returns the base58 text of `bytes`. The encoder keeps limbs of five digits and adds 16 bits at a time. */
export function encodeBase58(bytes: Uint8Array): string {
  const { length } = bytes
  let zeros = 0
  while (zeros < length && bytes[zeros] === 0) zeros++
  const limbs = length <= 36 ? limbsOfIds : new Int32Array(Math.ceil(length * 0.274) + 1)
  let used = 0
  let at = zeros
  let shift = (length - zeros) % 2 === 1 ? 256 : 65536
  while (at < length) {
    let carry = shift === 256 ? bytes[at]! : bytes[at]! * 256 + bytes[at + 1]!
    at += shift === 256 ? 1 : 2
    for (let i = 0; i < used; i++) {
      const value = limbs[i]! * shift + carry
      carry = Math.floor(value / limbBase)
      limbs[i] = value - carry * limbBase
    }
    if (carry > 0) limbs[used++] = carry
    shift = 65536
  }
  return base58Text(limbs, used, zeros)
}

/** Returns the text of `used` limbs, least significant first, after one letter for each leading zero byte. */
function base58Text(limbs: Int32Array, used: number, zeros: number): string {
  const text = used === limbsOfId && zeros <= 36 ? textOfId : Buffer.allocUnsafe(zeros + used * 5)
  let start = text.length
  for (let i = 0; i < used; i++) {
    let limb = limbs[i]!
    for (let digit = 0; digit < 5; digit++) {
      const rest = (limb / 58) | 0
      text[--start] = base58Letters[limb - rest * 58]!
      limb = rest
    }
  }
  while (start < text.length && text[start] === base58Letters[0]) start++
  for (let i = 0; i < zeros; i++) text[--start] = base58Letters[0]!
  return text.toString('latin1', start)
}

/** Returns the bytes of base58 text, or null if a character is not a base58 digit. */
export function decodeBase58(text: string): Uint8Array | null {
  return /^[1-9A-HJ-NP-Za-km-z]*$/.test(text) ? base58.decode(text) : null
}

/**
 * Wraps `text` in a bounded cache for byte strings of one length that repeat: assets, chains, owners, and ids that one container creates
 * and the next one names. The bytes determine the slot of a value. A newer value replaces an older one in the same slot.
 */
export function cached(length: number, text: (bytes: Uint8Array) => string): (bytes: Uint8Array) => string {
  const slots = 1 << 13
  const keys = new Uint8Array(slots * length)
  const texts = new Array<string | undefined>(slots).fill(undefined)
  return (bytes) => {
    if (bytes.length !== length) return text(bytes)
    const slot = ((bytes[0]! << 8) ^ (bytes[5]! << 4) ^ bytes[length - 1]!) & (slots - 1)
    const start = slot * length
    const known = texts[slot]
    if (known !== undefined) {
      let i = 0
      while (i < length && keys[start + i] === bytes[i]) i++
      if (i === length) return known
    }
    const made = text(bytes)
    keys.set(bytes, start)
    texts[slot] = made
    return made
  }
}

/** Longest byte string in the cache, in bytes. The texts of longer ones are computed each time. */
const longest = 2_048

/** Like `cached`, for a few byte strings of any length, such as certificates. The last bytes determine the slot of a value. */
export function remembered(text: (bytes: Uint8Array) => string): (bytes: Uint8Array) => string {
  const slots = 1 << 10
  const known = new Array<{ readonly key: Uint8Array; readonly text: string } | undefined>(slots).fill(undefined)
  return (bytes) => {
    const { length } = bytes
    const slot = ((bytes[length - 1]! << 4) ^ (bytes[length - 2] ?? 0)) & (slots - 1)
    const one = known[slot]
    if (one !== undefined && Buffer.compare(one.key, bytes) === 0) return one.text
    const made = text(bytes)
    // A copy, because the container's memory is reused.
    if (length <= longest) known[slot] = { key: bytes.slice(), text: made }
    return made
  }
}

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

const prefix = 'NodeID-'

/** Returns `NodeID-` and CB58. A node id has 20 bytes on the primary network, and any length for validators of an L1. */
export const nodeIdText = cached(20, (bytes) => prefix + encodeCb58(bytes))

/** Returns the bytes of `NodeID-…`. Throws `DecodeError`. */
export function nodeIdBytes(text: string): Uint8Array {
  if (!text.startsWith(prefix)) throw new DecodeError(`${JSON.stringify(text)} does not begin with ${prefix}.`)
  return decodeCb58(text.slice(prefix.length))
}

const encoders = new Map<string, (bytes: Uint8Array) => string>()

/** Returns the text of a 20-byte address without chain prefix, such as `avax1…`. A cache keeps the texts of repeated addresses. */
export function addressText(hrp: string, bytes: Uint8Array): string {
  let encode = encoders.get(hrp)
  if (encode === undefined) {
    encode = cached(20, (address) => bech32.encodeFromBytes(hrp, address))
    encoders.set(hrp, encode)
  }
  return encode(bytes)
}

/** Returns the bytes of an address with or without chain prefix (`P-avax1…`). Throws `DecodeError`. */
export function addressBytes(text: string): Uint8Array {
  try {
    return bech32.decodeToBytes(text.slice(text.indexOf('-') + 1)).bytes
  } catch (cause) {
    throw new DecodeError(`${JSON.stringify(text)} is not an address.`, { cause })
  }
}

const bech32Letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
/** The sum (XOR) of the generators that the five highest bits of the state select. */
const feedback = Int32Array.from({ length: 32 }, (_, top) =>
  generator.reduce((sum, each, i) => ((top >>> i) & 1 ? sum ^ each : sum), 0),
)

function step(state: number, value: number): number {
  return ((state & 0x1ffffff) << 5) ^ value ^ feedback[state >>> 25]!
}

/** Returns the state of the checksum after the human-readable part, the first `end` letters of a text. */
function stateAfter(text: string, end: number): number {
  let state = 1
  for (let at = 0; at < end; at++) state = step(state, text.charCodeAt(at) >>> 5)
  state = step(state, 0)
  for (let at = 0; at < end; at++) state = step(state, text.charCodeAt(at) & 31)
  return state
}

const valueOfLetter = new Int8Array(128)
for (const [value, letter] of [...bech32Letters].entries()) valueOfLetter[letter.charCodeAt(0)] = value

/**
 * Returns whether the checksum of an address in lower case, without chain prefix, is right. Answers repeat addresses in every row: the library
 * takes nine times as long.
 */
export function hasChecksum(address: string): boolean {
  const end = address.lastIndexOf('1')
  let state = stateAfter(address, end)
  for (let at = end + 1; at < address.length; at++) state = step(state, valueOfLetter[address.charCodeAt(at)]!)
  return state === 1
}
