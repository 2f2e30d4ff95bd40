import { hasChecksum } from '../../../codec/ids.ts'
import type { ReaderName } from '../../define/index.ts'
import { isWellFormed, isWrittenNumber } from '../../lib/text.ts'
import { rfc3339ToNs } from '../../lib/time.ts'
import { ends, lowerHex, timeOf } from '../values.ts'

/** Returns the JSON text of a parsed answer. Whole numbers are exact: `bigint` values are written digit by digit. */
export function jsonText(value: unknown): string {
  if (typeof value === 'bigint' || isWrittenNumber(value)) return value.toString()
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`)
  return `{${members.join(',')}}`
}

/** A kind of values in JSON answers. Services write numbers as numbers or as texts. */
export type Kind<V = any> = {
  /** Returns a value as tables store it; null for any other value. */
  readonly read: (value: unknown) => V | null
  /** Why any other value is refused. */
  readonly complaint: string | ((value: unknown) => string)
  /** An empty text is a value. Of other kinds it means that there is none. */
  readonly takesEmpty?: true
  /** The values that mean that there is none, if these are others. */
  readonly nones?: readonly unknown[]
  /** What null stands for where there must be a value. */
  readonly ofNull?: V
}

export function isNone({ takesEmpty, nones }: Kind, value: unknown): boolean {
  return nones === undefined ? value === '' && takesEmpty !== true : nones.includes(value)
}

export function complaintOf({ complaint }: Kind, value: unknown): string {
  return typeof complaint === 'string' ? complaint : complaint(value)
}

/** `read` returns a text as tables store it; null for any other text. */
function ofText(complaint: string, read: (text: string) => string | null): Kind<string> {
  return {
    read(value) {
      if (typeof value === 'string') return value === '' ? null : read(value)
      return typeof value === 'number' ? read(String(value)) : null
    },
    complaint,
  }
}

const base58 = /^[1-9A-HJ-NP-Za-km-z]+$/

/** An id and its checksum have 36 bytes. An id may begin with zeros; the id of the P-Chain consists of zeros. */
function idIn(text: string): string | null {
  return text.length >= 36 && text.length <= 50 && base58.test(text) ? text : lowerHex(text, 64)
}

/** An optional chain prefix, 20 bytes of an address with five bits per letter, and a checksum of six letters. */
const bech32 = /^(?:[0-9A-Za-z]+-)?([a-z][a-z0-9]*1[02-9ac-hj-np-z]{38})$/

function ownerIn(text: string): string | null {
  if (text.startsWith('0x')) return lowerHex(text, 40)
  const address = bech32.exec(text)?.[1]
  return address !== undefined && hasChecksum(address) ? address : null
}

/** Decimal digits of a number ≥ 0, as JSON writes it. */
const decimalNumber = /^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** A whole number from `from` to below `end`, exactly. */
function whole(from: bigint, end: bigint): Kind<bigint> {
  return {
    read(value) {
      const found = wholeOf(value)
      return found !== null && found >= from && found < end ? found : null
    },
    complaint(value) {
      const found = wholeOf(value)
      if (found === null) return 'is no whole number'
      return found < from ? `is below ${from}` : `is above ${end - 1n}`
    },
  }
}

function wholeOf(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : null
  const text = asWritten(value)
  return typeof text === 'string' && /^-?\d{1,80}$/.test(text) ? BigInt(text) : null
}

/** A number that JavaScript would round is read as the text that it was written as. */
function asWritten(value: unknown): unknown {
  return isWrittenNumber(value) ? value.toString() : value
}

/** A whole number from 0 to below `end`, as a JavaScript number. */
function counted(end: number): Kind<number> {
  return {
    read(value) {
      const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
      return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 && number < end ? number : null
    },
    complaint: `is no whole number of 0 to ${end - 1}`,
  }
}

function fractionTo(most: number, complaint: string): Kind<number> {
  return {
    read(value) {
      if (typeof value === 'number') return value >= 0 && value <= most ? value : null
      const text = asWritten(value)
      if (typeof text !== 'bigint' && !(typeof text === 'string' && decimalNumber.test(text))) return null
      const number = Number(text)
      return number <= most ? number : null
    },
    complaint,
  }
}

/** An angle of a place on the globe, from `-most` to `most` degrees. */
function degrees(most: number): Kind<number> {
  return {
    read(value) {
      const number =
        typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))
          ? Number(value)
          : Number.NaN
      return number >= -most && number <= most ? number : null
    },
    complaint: `is no angle from -${most} to ${most} degrees`,
  }
}

/** A kind that is read as another one, and then converted. Null where the conversion would lose something. */
function converted<A, V>(kind: Kind<A>, convert: (value: A) => V | null, complaint: string): Kind<V> {
  return {
    read(value) {
      const found = kind.read(value)
      return found === null ? null : convert(found)
    },
    complaint: (value) => (kind.read(value) === null ? complaintOf(kind, value) : complaint),
  }
}

function numberOf(value: unknown): unknown {
  const text = asWritten(value)
  return typeof text === 'string' && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : text
}

function isRounded(number: unknown): boolean {
  return typeof number === 'bigint' || (Number.isInteger(number) && !Number.isSafeInteger(number))
}

/** Whether the source wrote a number in floating point, as JavaScript does from 10^21 on. Parsing keeps other large numbers as they were written. */
function isFloating(value: unknown): value is number {
  return Number.isFinite(value) && Math.abs(value as number) >= 1e21
}

/** A number has the exact value of the answer. A larger integer would have lost digits; lossless parsing keeps them. */
const text: Kind<string> = {
  read(value) {
    if (typeof value === 'string') return value
    const isExact = typeof value === 'number' ? !isRounded(value) || isFloating(value) : typeof value === 'bigint'
    return isExact || isWrittenNumber(value) ? String(value) : null
  },
  complaint: 'is no text',
  takesEmpty: true,
}

const u256 = whole(0n, ends.u256)
const digits: Kind<string> = {
  read(value) {
    // Fast path: a shorter number is below 2^256. Most numbers are.
    if (typeof value === 'string' && value.length < 78 && /^(0|[1-9]\d*)$/.test(value)) return value
    return u256.read(value)?.toString() ?? null
  },
  complaint: u256.complaint,
}

const count = counted(ends.count)
const unixSeconds = counted(ends.seconds)
const microsecondEnd = BigInt(ends.seconds) * 1_000_000n
const cutOff = 'is a time with nanoseconds, which a time column would cut off'
const wholeMicroseconds = (nanoseconds: bigint) => (nanoseconds % 1_000n === 0n ? nanoseconds / 1_000n : null)
const iso: Kind<bigint> = {
  read: (value) => (typeof value === 'string' ? rfc3339ToNs(value) : null),
  complaint: 'is no RFC 3339 time',
}

/** The first moment of a day or a month. `rest` makes a time of its text. */
function firstMoment(pattern: RegExp, rest: string, complaint: string): Kind<bigint> {
  const read = (value: unknown): bigint | null =>
    typeof value === 'string' && pattern.test(value) ? rfc3339ToNs(value + rest) : null
  return converted({ read, complaint }, wholeMicroseconds, complaint)
}

const hex = /^(?:0x)?((?:[0-9a-f]{2})*)$/i

/** The kinds of values by the names that columns give them. */
export const kinds = {
  /** Addresses of an EVM chain, in lower case. */
  address: ofText('is no address of 20 bytes', (text) => lowerHex(text, 40)),
  /** The bytes of a hex text, with or without 0x. */
  bytes: {
    read(value) {
      const digits = typeof value === 'string' ? hex.exec(value)?.[1] : undefined
      return digits === undefined ? null : Buffer.from(digits, 'hex')
    },
    complaint: 'is no hexadecimal text',
    takesEmpty: true,
  } satisfies Kind<Uint8Array>,
  /** Ids of chains. Services also name chains of the primary network by alias. */
  chainId: ofText('is no id of a chain', (text) => (/^(?:[pxc]-chain|[PXC])$/.test(text) ? text : idIn(text))),
  /** A count or position, as a JavaScript number. */
  count,
  /** A day as text, such as `2026-01-31`: its first moment in UTC. */
  date: firstMoment(/^\d{4}-\d\d-\d\d$/, 'T00:00:00Z', 'is no date such as 2026-01-31'),
  /** Any whole number that a DECIMAL(38,0) column holds. */
  decimal: whole(-ends.decimal38 + 1n, ends.decimal38),
  /** A difference of two 64-bit amounts. */
  difference: whole(-ends.u64 + 1n, ends.u64),
  /** The exact decimal digits of a whole number of 256 bits, without leading zeros. */
  digits,
  /** Any number that a double holds exactly, or that is a fraction. */
  double: {
    read(value) {
      const number = numberOf(value)
      const isKept = isFloating(value) || (Number.isFinite(number) && !isRounded(number))
      return isKept ? (number as number) : null
    },
    complaint: (value) =>
      isRounded(numberOf(value))
        ? 'is a whole number that a double would round (use the type decimal)'
        : 'is no number',
  } satisfies Kind<number>,
  /** Bytes in base64 or as hexadecimal text. */
  encoded: ofText('is neither base64 nor hexadecimal text', (text) =>
    /^[0-9A-Za-z+/_-]+={0,2}$/.test(text) ? text : null,
  ),
  /** True or false, also as text. */
  flag: {
    read: (value) =>
      typeof value === 'boolean' ? value : value === 'true' || value === 'false' ? value === 'true' : null,
    complaint: 'is neither true nor false',
    takesEmpty: true,
  } satisfies Kind<boolean>,
  /** A number ≥ 0 that the service has rounded: prices, averages. */
  fraction: fractionTo(Number.MAX_VALUE, 'is no number of 0 or more'),
  /** 32 bytes on an EVM chain, in lower case. */
  hash: ofText('is no hash of 32 bytes', (text) => lowerHex(text, 64)),
  /** Bytes as text in lower case. A `0x` prefix is kept. */
  hex: ofText('is no hexadecimal text', (text) => (hex.test(text) ? text.toLowerCase() : null)),
  /** Ids of 32 bytes of any object on the P-Chain, X-Chain or C-Chain. */
  id: ofText('is no id', idIn),
  /** A whole number that fits a BIGINT column, such as gas. */
  int64: whole(0n, ends.int64),
  /** A time in RFC 3339, such as `2026-01-31T12:00:00Z`, to the microsecond. */
  iso: converted(iso, wholeMicroseconds, cutOff),
  /** Any value, as JSON. */
  json: { read: jsonText, complaint: '', takesEmpty: true } satisfies Kind<string>,
  /** Degrees from -90 to 90. */
  latitude: degrees(90),
  /** Degrees from -180 to 180. */
  longitude: degrees(180),
  /**
   * The bytes of a memo. Services write memos as 0x text or as plain text, which is read as UTF-8. A text without UTF-8 bytes is refused,
   * because the encoder would replace them.
   */
  memo: {
    read(value) {
      const memo = text.read(value)
      if (memo === null) return null
      const digits = memo.startsWith('0x') ? hex.exec(memo)?.[1] : undefined
      if (digits !== undefined) return Buffer.from(digits, 'hex')
      return isWellFormed(memo) ? Buffer.from(memo) : null
    },
    complaint: (value) => (text.read(value) === null ? 'is no text' : 'is no well-formed Unicode'),
    takesEmpty: true,
  } satisfies Kind<Uint8Array>,
  /** A time, from microseconds since 1970. */
  microseconds: whole(0n, microsecondEnd),
  /** A time, from milliseconds since 1970. */
  milliseconds: converted(counted(ends.seconds * 1000), (found) => BigInt(found) * 1_000n, ''),
  /** A month as text, such as `2026-01`: its first moment in UTC. */
  month: firstMoment(/^\d{4}-\d\d$/, '-01T00:00:00Z', 'is no month such as 2026-01'),
  /** A time, from nanoseconds since 1970, if they are whole microseconds. */
  nanoseconds: converted(whole(0n, microsecondEnd * 1_000n), wholeMicroseconds, cutOff),
  /** Ids of nodes: `NodeID-…`. */
  nodeId: ofText('is no id of a node', (text) =>
    text.startsWith('NodeID-') && text.length > 12 && base58.test(text.slice(7)) ? text : null,
  ),
  /** Addresses without chain prefix. */
  owner: ofText('is no address, or its checksum is wrong', ownerIn),
  /** A percentage from 0 to 100. */
  percent: fractionTo(100, 'is no percentage'),
  /** A time in microseconds, from Unix seconds. */
  seconds: {
    read(value) {
      const found = unixSeconds.read(value)
      if (found === null) return null
      const microseconds = found * 1_000_000
      return Number.isSafeInteger(microseconds) ? BigInt(microseconds) : BigInt(found) * 1_000_000n
    },
    complaint: unixSeconds.complaint,
  } satisfies Kind<bigint>,
  /** A share in parts of 1,000,000. Nodes state it in percent with up to four decimal places. */
  shares: {
    read(value) {
      const [, units, decimals = ''] = /^(\d{1,3})(?:\.(\d{1,4}))?$/.exec(text.read(value) ?? '') ?? []
      const shares = Number(units + decimals.padEnd(4, '0'))
      return shares <= 1_000_000 ? shares : null
    },
    complaint: 'is no percentage with up to four decimal places',
    takesEmpty: true,
  } satisfies Kind<number>,
  /** A sum of 64-bit amounts. */
  sum: whole(0n, ends.decimal38),
  /** A text, or a number as the text that it was written as. */
  text,
  /** A time in microseconds, from Unix seconds of the years 1 to 9999, the range of time columns. */
  time: converted(whole(0n, ends.u64), timeOf, 'is no time of the years 1 to 9999'),
  /** Ids of tokens in their contract: decimal digits of 256 bits, also where a service writes them as hexadecimal text. */
  tokenId: {
    read: (value) =>
      digits.read(typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : value),
    complaint: 'is no whole number of 256 bits',
  } satisfies Kind<string>,
  /** A 32-bit count or position: indices of outputs, thresholds. */
  u32: counted(ends.u32),
  /** A whole number of 64 bits: amounts in the least unit, weights, locktimes in Unix seconds. */
  u64: whole(0n, ends.u64),
  /** An 8-bit count: decimal places of an asset. */
  u8: counted(ends.u8),
  /** Any whole number that a BIGINT column holds. */
  whole: whole(-ends.int64, ends.int64),
  /** Words of the source itself. */
  word: ofText('is no word', (text) => (/^[!-~](?:[ -~]*[!-~])?$/.test(text) ? text : null)),
} satisfies Readonly<Record<ReaderName, Kind>>
