import { addressText, cached } from '../../codec/ids.ts'
import { DecodeError } from '../errors.ts'

/**
 * The values that fields may hold, for all sources: REST services, nodes, EVM nodes. Columns are wider than the values of chains (a u64 is
 * stored as DECIMAL(20,0)), so decoders refuse values that no chain has.
 */

/** The lowest number that is too large. All ranges begin at 0. */
export const ends = {
  u8: 2 ** 8,
  u32: 2 ** 32,
  /** Heights, indices and counts: JavaScript numbers. */
  count: 2 ** 53,
  /** Range of a BIGINT column. */
  int64: 2n ** 63n,
  u64: 2n ** 64n,
  decimal38: 10n ** 38n,
  /** Wei and token amounts of an EVM chain. */
  u256: 2n ** 256n,
  /** Unix seconds: the year 10000. */
  seconds: 253_402_300_800,
} as const

/** Returns an address as tables store it, without a check: bech32 without chain prefix, or 0x in lower case. */
export function bareAddress(address: string): string {
  if (address[1] === '-') return address.slice(2)
  return address.startsWith('0x') ? address.toLowerCase() : address
}

/** Nodes write numbers, hashes and bytes as `0x` and hex digits, usually in lower case. */

const hexDigits = /^0x[0-9a-f]+$/i

/** The value of each character as a lower-case hex digit; 16 for any other character. */
const digits = new Uint8Array(2 ** 16).fill(16)
for (const [digit, character] of [...'0123456789abcdef'].entries()) digits[character.charCodeAt(0)] = digit

/** Returns whether a value is a text of `0x` and hex digits in upper or lower case. */
export function isHex(value: unknown): value is string {
  return typeof value === 'string' && (isLowerHex(value) || hexDigits.test(value))
}

/** Returns whether a text is `0x` and hex digits in lower case. The loop has no branch per digit, which takes a third of the time. */
export function isLowerHex(text: string): boolean {
  if (text.length < 3 || text.charCodeAt(0) !== 0x30 || text.charCodeAt(1) !== 0x78) return false
  let all = 0
  for (let at = 2; at < text.length; at++) all |= digits[text.charCodeAt(at)]!
  return all < 16
}

/** The longest hex text that is exact as a number (52 bits). Numbers are read ten times faster. */
const shortText = 2 + 13

/** Returns the number in a short lower-case hex text; -1 for any other value. */
export function shortNumber(value: unknown): number {
  if (typeof value !== 'string' || value.length > shortText || value.length < 3) return -1
  if (value.charCodeAt(0) !== 0x30 || value.charCodeAt(1) !== 0x78) return -1
  let all = 0
  let number = 0
  for (let at = 2; at < value.length; at++) {
    const digit = digits[value.charCodeAt(at)]!
    all |= digit
    number = number * 16 + digit
  }
  return all < 16 ? number : -1
}

/** Returns a text of `length` hex digits in lower case; null for any other value. */
export function lowerHex(value: unknown, length: number): string | null {
  if (typeof value !== 'string' || value.length !== 2 + length) return null
  if (isLowerHex(value)) return value
  return hexDigits.test(value) ? value.toLowerCase() : null
}

export const noBytes: Uint8Array = Buffer.alloc(0)

/** Returns the bytes of a hex text; null for any other value. */
export function bytesOf(value: unknown): Uint8Array | null {
  // Most transactions are plain transfers without input.
  if (value === '0x') return noBytes
  if (typeof value !== 'string' || !value.startsWith('0x') || value.length % 2 !== 0) return null
  const bytes = Buffer.from(value.slice(2), 'hex')
  // For a character above U+00FF, Node reads its low byte as a digit. The comparison of byte lengths detects this.
  return bytes.length * 2 === value.length - 2 && Buffer.byteLength(value) === value.length ? bytes : null
}

/**
 * Returns a u64 that chains bound (a height, an epoch) for a column of type BIGINT. Throws `DecodeError` with `path` from 2^53 on; no chain
 * accepts such a value.
 */
export function boundedNumber(value: bigint, path: string): number {
  if (value >= ends.count) throw new DecodeError(`${path} is ${value}: no chain is that high.`, { details: { path } })
  return Number(value)
}

/** Reads 32 bytes as an unsigned integer. Most are zeros and one integer of 64 bits: this takes an eighth of the time of parsing hex text. */
export function unsignedAt(view: DataView, at: number): bigint {
  const low = view.getBigUint64(at + 24)
  const isLow = (view.getUint32(at) | view.getUint32(at + 4) | view.getUint32(at + 8) | view.getUint32(at + 12)) === 0
  if (isLow && view.getUint32(at + 16) === 0 && view.getUint32(at + 20) === 0) return low
  const middle = (view.getBigUint64(at + 16) << 64n) | low
  return isLow ? middle : (((view.getBigUint64(at) << 64n) | view.getBigUint64(at + 8)) << 128n) | middle
}

/** Returns an unsigned integer for a column of type DECIMAL(38,0); null if there is none or it has more digits. */
export function decimalOrNull(value: bigint | null): bigint | null {
  return value !== null && value < ends.decimal38 ? value : null
}

/** Returns an integer for a column of type DECIMAL(38,0); null if it has more digits. */
export function signedDecimalOrNull(value: bigint): bigint | null {
  return value < ends.decimal38 && value > -ends.decimal38 ? value : null
}

/** Returns an unsigned integer as text, which is exact at any size; null if there is none. */
export function textOrNull(value: bigint | null): string | null {
  return value === null ? null : value.toString()
}

const lastSecond = 253_402_300_799n
const firstSecond = -62_135_596_800n

/** Returns Unix seconds as microseconds; null outside of the years 1 to 9999, the range of time columns. */
export function timeOf(seconds: bigint): bigint | null {
  return seconds > lastSecond || seconds < firstSecond ? null : seconds * 1_000_000n
}

/** Returns Unix milliseconds as microseconds; null outside of the years 1 to 9999. */
export function timeOfMilliseconds(milliseconds: bigint): bigint | null {
  return timeOf(milliseconds / 1000n) === null ? null : milliseconds * 1000n
}

export function addressTexts(hrp: string, addresses: readonly Uint8Array[]): string[] {
  const texts: string[] = []
  for (const address of addresses) texts.push(addressText(hrp, address))
  return texts
}

/** `0x` and lower-case hex of repeated hashes (32 bytes) and addresses (20 bytes). */
export const repeatedHashText = cached(32, hexText)
export const repeatedAddressText = cached(20, hexText)

const scratch = Buffer.alloc(256)

export function hexText(bytes: Uint8Array): string {
  const { length } = bytes
  if (length > scratch.length) return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('hex')}`
  // Creating a buffer over the same bytes takes longer than copying them.
  scratch.set(bytes)
  return `0x${scratch.toString('hex', 0, length)}`
}
