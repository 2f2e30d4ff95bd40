import { DecodeError } from '../../errors.ts'
import { ends } from '../bounds.ts'
import { bytesOf, isHex, isLowerHex, lowerHex, shortNumber, shortText } from '../hex-text.ts'
import { decimalOrNull } from '../numbers.ts'
import { type UsualFields, unknownNames } from '../usual-fields.ts'

/**
 * Reads the fields of RPC answers of an EVM chain. Quantities and bytes are hex texts; some chains write quantities as numbers. A field counts
 * as absent if it is missing, null or empty, and a quantity, a hash or an address also if it is `0x`. The functions throw `DecodeError` with the
 * path of a field that is required but absent, that is not hex text, or that is too large for its column.
 */
export type Fields = {
  readonly object: Readonly<Record<string, unknown>>
  /** The object that contains the list of this object; null at the top. */
  readonly parent: Fields | null
  /** Name of that list, or of the object. `position` is the position in the list. */
  readonly list: string
  readonly position: number | null
  readonly kind: Kind
}

/** What all objects at one path share, for example all transactions. */
export type Kind = {
  /** Path such as `transactions[]`; empty at the top. */
  readonly pattern: string
  /** Fields that the decoder has read so far. */
  readonly known: Set<string>
  /** Whether the decoder has read an object completely. `known` then contains all fields that it ever reads. */
  complete: boolean
  readonly usual: UsualFields
  /** Kinds of nested objects. */
  readonly inner: Map<string, Kind>
}

export function createKind(pattern: string): Kind {
  return { pattern, known: new Set(), complete: false, usual: [], inner: new Map() }
}

export function topFields(object: Fields['object'], kind: Kind): Fields {
  return { object, parent: null, list: '', position: 0, kind }
}

/** Returns the value of a field, or undefined if it is absent. */
function presentValue({ object, kind }: Fields, name: string): unknown {
  if (!kind.complete) kind.known.add(name)
  const value = object[name]
  return value === null || value === '' ? undefined : value
}

function required<V>(value: V | null, at: Fields, name: string): V {
  if (value === null) throw wrongField(at, name, 'is missing', at.object[name])
  return value
}

/** Returns the fields that the decoder did not read. Call it after an object has been read completely. */
export function unknownFields({ object, kind }: Fields): readonly string[] {
  kind.complete = true
  const unknown = unknownNames(object, kind.known, kind.usual)
  return unknown.length === 0 ? unknown : unknown.map((name) => joined(kind.pattern, name))
}

/** Marks fields as known that repeat other fields. */
export function passOver(at: Fields, ...names: readonly string[]): void {
  if (!at.kind.complete) for (const name of names) at.kind.known.add(name)
}

/** Returns whether a field is exactly this text. This is faster than reading it. */
export function isText(at: Fields, name: string, text: string): boolean {
  return presentValue(at, name) === text
}

/** A text of the node or of a contract; null if the field is absent. */
export function optionalText(at: Fields, name: string): string | null {
  const value = presentValue(at, name)
  if (value === undefined || typeof value === 'string') return value ?? null
  throw wrongField(at, name, 'is no text', value)
}

/** A number with a fraction, as the chain writes it; null if the field is absent. */
export function optionalNumberText(at: Fields, name: string): string | null {
  const value = presentValue(at, name)
  return typeof value === 'number' ? String(value) : optionalText(at, name)
}

export function text(at: Fields, name: string): string {
  return required(optionalText(at, name), at, name)
}

/** An unsigned integer of 256 bits; null if the field is absent. */
export function optionalU256(at: Fields, name: string): bigint | null {
  const value = presentValue(at, name)
  if (value === undefined) return null
  const short = shortNumber(value)
  if (short !== -1) return BigInt(short)
  if (value === nothing) return null
  const text = quantityIn(value, at, name)
  return text.length <= textOfU256 ? BigInt(text) : bounded(BigInt(text), ends.u256, at, name)
}

/** A text up to this length is never above 256 bits. */
const textOfU256 = 2 + 64

export function u256(at: Fields, name: string): bigint {
  return required(optionalU256(at, name), at, name)
}

/** Chains write this where they have no value. */
const nothing = '0x'

function quantityIn(value: unknown, at: Fields, name: string): string {
  if (isHex(value)) return value
  // The parser of answers keeps integers exact.
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) {
    const number = BigInt(value as bigint | number)
    if (number >= 0n) return `0x${number.toString(16)}`
  }
  throw wrongField(at, name, 'is no quantity', value)
}

/** A quantity that a column of type BIGINT holds. */
export function optionalInt64(at: Fields, name: string): number | bigint | null {
  const value = presentValue(at, name)
  if (value === undefined) return null
  const short = shortNumber(value)
  if (short !== -1) return short
  if (value === nothing) return null
  const text = quantityIn(value, at, name)
  return text.length <= shortText ? Number(text) : bounded(BigInt(text), ends.int64, at, name)
}

export function int64(at: Fields, name: string): number | bigint {
  return required(optionalInt64(at, name), at, name)
}

/** A block number or position, as a JavaScript number. */
export function count(at: Fields, name: string): number {
  const value = int64(at, name)
  if (typeof value === 'number') return value
  return Number(bounded(value, BigInt(ends.count), at, name))
}

/** A quantity of 64 bits. */
export function optionalU64(at: Fields, name: string): bigint | null {
  const value = optionalU256(at, name)
  return value === null ? null : bounded(value, ends.u64, at, name)
}

export function u64(at: Fields, name: string): bigint {
  return required(optionalU64(at, name), at, name)
}

/** A quantity for a column of type DECIMAL(38,0); null if the field is absent or has more digits. */
export function optionalDecimal38(at: Fields, name: string): bigint | null {
  return decimalOrNull(optionalU256(at, name))
}

function bounded(value: bigint, bound: bigint, at: Fields, name: string): bigint {
  if (value < bound) return value
  throw wrongField(at, name, 'is larger than any chain has it', `0x${value.toString(16)}`)
}

/** A quantity as hex text without leading zeros, for parts of signatures. */
export function optionalQuantityText(at: Fields, name: string): string | null {
  const value = presentValue(at, name)
  if (value === undefined || value === nothing) return null
  const text = quantityIn(value, at, name)
  const short = text.charCodeAt(2) !== 0x30 && isLowerHex(text) ? text : withoutZeros(text)
  if (short.length > textOfU256) throw wrongField(at, name, 'is larger than any chain has it', value)
  return short
}

function withoutZeros(text: string): string {
  return `0x${text
    .slice(2)
    .replace(/^0+(?=.)/, '')
    .toLowerCase()}`
}

export function quantityText(at: Fields, name: string): string {
  return required(optionalQuantityText(at, name), at, name)
}

/** Bytes of any length. `0x` is empty. Null if the field is absent. */
export function optionalBytes(at: Fields, name: string): Uint8Array | null {
  const value = presentValue(at, name)
  if (value === undefined) return null
  const bytes = bytesOf(value)
  if (bytes === null) throw wrongField(at, name, 'is no hexadecimal text', value)
  return bytes
}

/** Bytes of any length; null if the field is absent or `0x`. */
export function optionalFilledBytes(at: Fields, name: string): Uint8Array | null {
  const bytes = optionalBytes(at, name)
  return bytes?.length === 0 ? null : bytes
}

export function bytes(at: Fields, name: string): Uint8Array {
  return required(optionalBytes(at, name), at, name)
}

/** A list of byte strings of any length. */
export function bytesList(at: Fields, name: string): Uint8Array[] {
  const list = required(optionalList(at, name), at, name)
  return list.map((value, position) => {
    const bytes = bytesOf(value)
    if (bytes === null) throw wrongField(at, `${name}[${position}]`, 'is no hexadecimal text', value)
    return bytes
  })
}

const [addressDigits, hashDigits] = [40, 64]

/** An address in lower case. */
export function optionalAddress(at: Fields, name: string): string | null {
  return fixedText(at, name, addressDigits, 'is no address')
}

export function address(at: Fields, name: string): string {
  return required(optionalAddress(at, name), at, name)
}

/** 32 bytes as hex text in lower case. */
export function optionalHash(at: Fields, name: string): string | null {
  return fixedText(at, name, hashDigits, 'is no hash of 32 bytes')
}

export function hash(at: Fields, name: string): string {
  return required(optionalHash(at, name), at, name)
}

function fixedText(at: Fields, name: string, length: number, complaint: string): string | null {
  const value = presentValue(at, name)
  if (value === undefined) return null
  const text = lowerHex(value, length)
  if (text !== null) return text
  if (value === nothing || value === '0x0') return null
  throw wrongField(at, name, complaint, value)
}

/** A list of 32-byte hashes as hex texts. */
export function optionalHashes(at: Fields, name: string): string[] | null {
  return (
    optionalList(at, name)?.map((value, position) => {
      const text = lowerHex(value, hashDigits)
      if (text === null) throw wrongField(at, `${name}[${position}]`, 'is no hash of 32 bytes', value)
      return text
    }) ?? null
  )
}

/** The same for a field that is always there; null is an empty list. */
export function hashes(at: Fields, name: string): string[] {
  return optionalHashes(at, name) ?? noItems(at, name)
}

/** The objects of a list. */
export function optionalObjects(at: Fields, name: string): Fields[] | null {
  const list = optionalList(at, name)
  return list === null ? null : fieldsOfList(list, at, name)
}

/** The same for a field that is always there; null is an empty list. */
export function objects(at: Fields, name: string): Fields[] {
  return optionalObjects(at, name) ?? noItems(at, name)
}

/** Some nodes write an empty list as null. */
function noItems(at: Fields, name: string): never[] {
  if (at.object[name] === null) return []
  throw wrongField(at, name, 'is missing', at.object[name])
}

/** An object within an object; null if the field is absent. */
export function optionalObject(at: Fields, name: string): Fields | null {
  const value = presentValue(at, name)
  if (value === undefined) return null
  if (typeof value !== 'object' || Array.isArray(value)) throw wrongField(at, name, 'is no object', value)
  const kind = innerKind(at, name, joined(at.kind.pattern, name))
  return { object: value as Fields['object'], parent: at, list: name, position: null, kind }
}

/** True or false; null if the field is absent. */
export function optionalBoolean(at: Fields, name: string): boolean | null {
  const value = presentValue(at, name)
  if (value === undefined || typeof value === 'boolean') return value ?? null
  throw wrongField(at, name, 'is neither true nor false', value)
}

function fieldsOfList(list: readonly unknown[], at: Fields, name: string): Fields[] {
  const kind = innerKind(at, name, `${joined(at.kind.pattern, name)}[]`)
  return list.map((value, position) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw wrongField(at, `${name}[${position}]`, 'is no object', value)
    return { object: value as Fields['object'], parent: at, list: name, position, kind }
  })
}

function innerKind({ kind }: Fields, name: string, pattern: string): Kind {
  const known = kind.inner.get(name) ?? createKind(pattern)
  kind.inner.set(name, known)
  return known
}

function optionalList(at: Fields, name: string): readonly unknown[] | null {
  const value = presentValue(at, name)
  if (value === undefined) return null
  if (Array.isArray(value)) return value
  throw wrongField(at, name, 'is no list', value)
}

/** The error of a field in a shape that no decoder reads. Another node of the chain would write the same. */
export function wrongField(at: Fields, name: string, complaint: string, value: unknown): DecodeError {
  return fieldError(at, name, complaint, value, unknownShape)
}

/** The error of a field that contradicts another answer, or another field. */
export function contradiction(at: Fields, name: string, complaint: string, value: unknown): DecodeError {
  return fieldError(at, name, complaint, value, 'Nothing of this unit was written. Use another node of the chain.')
}

export const unknownShape =
  'Nothing of this unit was written. chainlake does not know this shape: update it, or report the chain with this field and value.'

function fieldError(at: Fields, name: string, complaint: string, value: unknown, hint: string): DecodeError {
  const path = joined(pathOf(at), name)
  return new DecodeError(`${path} ${complaint}.`, {
    code: 'decode.field',
    details: { field: path, value: excerpt(value) },
    hint,
  })
}

/** Returns the path of an object in the answer, such as `transactions[3]`; empty at the top. */
function pathOf({ parent, list, position }: Fields): string {
  return parent === null ? '' : joined(pathOf(parent), position === null ? list : `${list}[${position}]`)
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function excerpt(value: unknown): string {
  const shown = JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? inner.toString() : inner))
  return shown === undefined ? 'nothing' : shown.slice(0, 200)
}
