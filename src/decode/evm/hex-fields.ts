import type { Column } from '../../define/index.ts'
import { DecodeError } from '../../errors.ts'
import {
  answerObject,
  type Dialect,
  excerpt,
  innerShape,
  listIn,
  newShape,
  ofKind,
  pathOf,
  type Reading,
  raw,
  reading,
  required,
  type Shape,
} from '../json/fields.ts'
import type { Kind } from '../json/kinds.ts'
import {
  bytesOf,
  decimalOrNull,
  ends,
  isHex,
  isLowerHex,
  lowerHex,
  noBytes,
  shortNumber,
  textOrNull,
} from '../values.ts'

/**
 * Answers of the RPC of an EVM chain: quantities and bytes are hexadecimal texts; some chains write quantities as numbers. There is no value
 * where a field is missing, null or empty; for a quantity, a hash or an address also where it is `0x`; for a hash, an address or bytes also
 * where it is `0x0`.
 */

/** Chains write this where they have no value. */
const nothing = '0x'
/** A text up to this length is never above 256 bits. */
const textOfU256 = 2 + 64
const notQuantity = 'is no quantity'
const tooLarge = 'is larger than any chain has it'

/** The hexadecimal text of a quantity; null for any other value. */
function quantityIn(value: unknown): string | null {
  if (isHex(value)) return value
  // The parser of answers keeps integers exact.
  if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) return null
  const number = BigInt(value as bigint | number)
  return number >= 0n ? `0x${number.toString(16)}` : null
}

/** A quantity below `end`. `short` makes its value from a number of up to 52 bits, which is read ten times faster. */
function quantity<V>(end: bigint, short: (number: number) => V, long: (number: bigint) => V): Kind<V> {
  return {
    read(value) {
      const found = shortNumber(value)
      if (found !== -1) return short(found)
      const text = quantityIn(value)
      if (text === null) return null
      const number = BigInt(text)
      return number < end ? long(number) : null
    },
    complaint: (value) => (quantityIn(value) === null ? notQuantity : tooLarge),
    nones: ['', nothing],
  }
}

const own = (value: bigint): bigint => value
const u256Kind = quantity<bigint>(ends.u256, BigInt, own)

/** A text of `0x` and this number of digits, in lower case. */
function digits(length: number, complaint: string): Kind<string> {
  return { read: (value) => lowerHex(value, length), complaint, nones: ['', nothing, zero] }
}

/** Some chains, such as those of Ethermint, write no bytes like the quantity zero. */
const zero = '0x0'

const bytesIn = (value: unknown): Uint8Array | null => bytesOf(value) ?? (value === zero ? noBytes : null)
const bytesKind: Kind<Uint8Array> = { read: bytesIn, complaint: 'is no hexadecimal text', nones: [''] }
const textKind: Kind<string> = {
  read: (value) => (typeof value === 'string' && value !== '' ? value : null),
  complaint: 'is no text',
  nones: [''],
}

/** A quantity as text without leading zeros, for parts of signatures. */
const quantityKind: Kind<string> = {
  read(value) {
    // Most are 32 bytes as nodes write them, so look at each digit once.
    if (isShort(value)) return value
    const text = quantityIn(value)
    if (text === null) return null
    const short = withoutZeros(text)
    return short.length > textOfU256 ? null : short
  },
  complaint: u256Kind.complaint,
  nones: ['', nothing],
}

/** Whether a value is the text of a quantity of 256 bits in lower case without leading zeros. */
function isShort(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > textOfU256) return false
  return value.charCodeAt(2) !== 0x30 && isLowerHex(value)
}

function withoutZeros(text: string): string {
  return `0x${text
    .slice(2)
    .replace(/^0+(?=.)/, '')
    .toLowerCase()}`
}

const usualAddress = digits(40, 'is no address')

/** Nodes of XDC write addresses with `xdc` in the place of `0x`, unless their operator chose otherwise. */
const addressKind: Kind<string> = {
  ...usualAddress,
  read: (value) =>
    usualAddress.read(value) ??
    (typeof value === 'string' && /^xdc/i.test(value) ? lowerHex(`0x${value.slice(3)}`, 40) : null),
}

const hexKinds = {
  address: addressKind,
  bytes: bytesKind,
  /** A block number or position. */
  count: quantity<number>(BigInt(ends.count), Number, Number),
  data: {
    read: (value) => (value === '' ? noBytes : bytesIn(value)),
    complaint: bytesKind.complaint,
    nones: [],
    ofNull: noBytes,
  },
  /** A quantity of 256 bits. */
  digits: u256Kind,
  filled: { ...bytesKind, read: (value) => (value === nothing ? null : bytesOf(value)), nones: ['', nothing, zero] },
  flag: {
    read: (value) => (typeof value === 'boolean' ? value : null),
    complaint: 'is neither true nor false',
    nones: [''],
  },
  hash: digits(64, 'is no hash of 32 bytes'),
  /** A quantity that a column of type BIGINT holds. */
  int64: quantity<number | bigint>(ends.int64, Number, (long) => (long < 1n << 52n ? Number(long) : long)),
  quantity: quantityKind,
  scalar: { ...textKind, read: (value) => (typeof value === 'number' ? String(value) : textKind.read(value)) },
  text: textKind,
  u64: quantity<bigint>(ends.u64, BigInt, own),
} satisfies Partial<Record<NonNullable<Column['reader']>, Kind>>

/** The hint of errors about what no decoder reads. Another node of the chain would write the same. */
const unknownShape =
  'Nothing of this unit was written. chainlake does not know this shape: update it, or report the chain with this field and value.'

function fieldError(path: string, complaint: string, value: unknown, hint: string): DecodeError {
  return new DecodeError(`${path} ${complaint}.`, {
    code: 'decode.field',
    details: { field: path, value: excerpt(value) },
    hint,
  })
}

const missing = (at: Reading, path: string) =>
  fieldError(path, 'is missing', at.object[path.slice(path.lastIndexOf('.') + 1)], unknownShape)

const hexadecimal: Dialect = {
  kinds: hexKinds,
  wrong: (path, complaint, value) => fieldError(path, complaint, value, unknownShape),
  missing,
  empty: missing,
  narrowed: decimalOrNull,
  digits: textOrNull,
}

/** The error of a field in a shape that no decoder reads. */
export function wrongField(at: Reading, name: string, complaint: string, value: unknown): DecodeError {
  return hexadecimal.wrong(pathOf(at, name), complaint, value)
}

/** The error of a field that contradicts another answer, or another field. */
export function contradiction(at: Reading, name: string, complaint: string, value: unknown): DecodeError {
  const hint = 'Nothing of this unit was written. Use another node of the chain.'
  return fieldError(pathOf(at, name), complaint, value, hint)
}

/** What all objects at one path of answers share. */
export function hexShape(): Shape {
  return newShape(hexadecimal)
}

/** Fields of EVM nodes need no memory of a page. */
const noMemory: ReadonlyMap<string, unknown> = new Map()

/** Opens an answer. `unknown` receives the fields that no decoder reads, once they are finished. */
export function topFields(object: object, shape: Shape, unknown: (path: string) => void = () => {}): Reading {
  const context = { observationId: '', observedAt: 0n, memory: noMemory, unknownField: unknown }
  return answerObject(object, '', context as Reading['context'], shape)
}

/** The objects of a list, which are of one shape. Null is an empty list: some nodes write it so. */
export function objects(at: Reading, name: string, shape = innerShape(at, name)): Reading[] {
  const found = optionalObjects(at, name, shape)
  if (found !== null) return found
  return at.object[name] === null ? [] : required<Reading[]>(null, at, name)
}

export function optionalObjects(at: Reading, name: string, shape = innerShape(at, name)): Reading[] | null {
  const value = raw(at, name)
  if (value === undefined || value === '') return null
  return listIn(value, at, name).map((each, position) => reading(each, at, name, position, at.context, shape))
}

export function optionalObject(at: Reading, name: string): Reading | null {
  const value = raw(at, name)
  if (value === undefined || value === '') return null
  return reading(value, at, name, -1, at.context, innerShape(at, name))
}

export const { needed: address, optional: optionalAddress } = ofKind(hexKinds.address)
export const { needed: bytes, optional: optionalBytes, list: bytesList } = ofKind(hexKinds.bytes)
export const { needed: count } = ofKind(hexKinds.count)
export const { optional: optionalBoolean } = ofKind(hexKinds.flag)
export const { needed: hash, optional: optionalHash, optionalList: optionalHashes } = ofKind(hexKinds.hash)
export const { needed: int64, optional: optionalInt64 } = ofKind(hexKinds.int64)
export const { needed: text } = ofKind(hexKinds.text)
export const { needed: quantityText, optional: optionalQuantityText } = ofKind(hexKinds.quantity)
export const { needed: u64, optional: optionalU64 } = ofKind(hexKinds.u64)
export const { needed: u256, optional: optionalU256 } = ofKind(hexKinds.digits)
