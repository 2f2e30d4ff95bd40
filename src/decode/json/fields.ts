import type { ReadingContext } from '../../define/index.ts'
import { DecodeError } from '../../errors.ts'
import { isObject } from '../../lib/json.ts'
import { complaintOf, isNone, type Kind, kinds } from './kinds.ts'

/**
 * Reads the fields of a JSON answer. It tolerates differences between services: numbers may be texts, and an undeclared field is reported
 * once. It is strict about meaning: a missing required field is a `DecodeError` with its path.
 */
export type Reading = {
  readonly object: Readonly<Record<string, unknown>>
  readonly parent: Reading | null
  /** Name in the parent. `position` is the position in a list, -1 outside of lists: `emittedUtxos[3]`. */
  readonly name: string
  readonly position: number
  readonly context: ReadingContext
  readonly shape: Shape
}

/**
 * What all objects at one path of an answer share, for example all items of a list. Building it for each object would dominate the cost.
 */
export type Shape = {
  readonly dialect: Dialect
  /** Fields that the decoder has read so far. */
  readonly known: Set<string>
  readonly usual: UsualFields
  readonly inner: Map<string, Shape>
}

/** How the sources of an answer write values, and what errors say of those that they cannot have written. */
export type Dialect = {
  /** The kinds of values by the names that columns give them. */
  readonly kinds: Readonly<Record<string, Kind>>
  readonly wrong: (path: string, what: string, value: unknown) => DecodeError
  readonly missing: (at: Reading, path: string, other: string | undefined) => DecodeError
  /** The error of an empty value in the place of one that must be there. */
  readonly empty: (at: Reading, path: string) => DecodeError
  /** Converts a number of any length to the decimal column that may be too short for it, and to its twin with all digits. */
  readonly narrowed: (value: any) => bigint | null
  readonly digits: ((value: any) => string | null) | null
}

/** Answers of services and of nodes of the primary network. */
export const json: Dialect = {
  kinds,
  wrong,
  missing: (at, path, other) =>
    new DecodeError(`The answer has no field ${path}.`, {
      code: 'decode.missing-field',
      details: { field: path, 'also accepted': other, 'the object': excerpt(at.object) },
      hint: 'Nothing of this unit was written. The service may have changed its answers: compare with its documentation.',
    }),
  empty: (_, path) => wrong(path, 'is empty', ''),
  narrowed: (digits) => (typeof digits === 'string' && digits.length <= 38 ? BigInt(digits) : null),
  digits: null,
}

/** Returns the object at the top of an answer. Errors use `name` if the answer is not an object. Paths begin below it. */
export function answerObject(answer: unknown, name: string, context: ReadingContext, shape = newShape()): Reading {
  return reading(answer, null, name, -1, context, shape)
}

/** Returns an object within another one. `position` is that in a list, or -1. */
export function reading(
  value: unknown,
  parent: Reading | null,
  name: string,
  position: number,
  context: ReadingContext,
  shape: Shape,
): Reading {
  if (!isObject(value)) {
    const at = { object: {}, parent, name, position, context, shape }
    throw shape.dialect.wrong(pathOf(at), 'is no object', value)
  }
  return { object: value, parent, name, position, context, shape }
}

export function newShape(dialect = json): Shape {
  return { dialect, known: new Set(), usual: [], inner: new Map() }
}

export function innerShape(at: Reading, name: string): Shape {
  const known = at.shape.inner.get(name)
  if (known !== undefined) return known
  const shape = newShape(at.shape.dialect)
  at.shape.inner.set(name, shape)
  return shape
}

/**
 * Reports the fields that the decoder read neither in this object nor in an earlier one at the same path. Call it after an object has been
 * read.
 */
export function finish(at: Reading): void {
  const { known, usual } = at.shape
  for (const name of unknownNames(at.object, known, usual)) at.context.unknownField(patternOf(at, name))
}

/**
 * Returns the value of the first of the two fields that is present and not null, or undefined. Both names count as known. If both fields
 * are present, they must have the same value.
 */
export function raw(at: Reading, name: string, other?: string): unknown {
  const { known } = at.shape
  known.add(name)
  const value = at.object[name] ?? undefined
  if (other === undefined) return value
  known.add(other)
  const second = at.object[other] ?? undefined
  if (value === undefined || second === undefined) return value ?? second
  if (String(value) !== String(second)) throw contradiction(at, name, value, other, second)
  return value
}

/** Returns the path of the value of a field with two names. */
function statedPath(at: Reading, name: string, other?: string): string {
  const isOther = other !== undefined && (at.object[name] ?? null) === null && (at.object[other] ?? null) !== null
  return pathOf(at, isOther ? other : name)
}

/** Returns the error about two fields that state the same fact differently. */
export function contradiction(at: Reading, name: string, value: unknown, other: string, second: unknown): DecodeError {
  return new DecodeError(
    `The fields ${pathOf(at, name)} and ${pathOf(at, other)} of the answer contradict each other.`,
    {
      code: 'decode.contradiction',
      details: {
        field: pathOf(at, name),
        value: excerpt(value),
        other: pathOf(at, other),
        'its value': excerpt(second),
      },
      hint: 'Nothing of this unit was written. The service has damaged data there: ask again later, or ask whoever runs it.',
    },
  )
}

export function required<V>(value: V | null, at: Reading, name: string, other?: string): V {
  if (value !== null) return value
  throw at.shape.dialect.missing(at, statedPath(at, name, other), other)
}

/** A nested object. `read` reads it and may call `finish` itself. */
export function object<V>(at: Reading, name: string, read: (inner: Reading) => V): V {
  return required(optionalObject(at, name, read), at, name)
}

/** A nested object; null if the field is missing. */
export function optionalObject<V>(at: Reading, name: string, read: (inner: Reading) => V): V | null {
  const value = raw(at, name)
  if (value === undefined) return null
  const inner = reading(value, at, name, -1, at.context, innerShape(at, name))
  const result = read(inner)
  finish(inner)
  return result
}

/** A list of objects. `finish` is called for each. Servers write an empty list as null. */
export function objects<V>(at: Reading, name: string, read: (inner: Reading, position: number) => V): V[] {
  return optionalObjects(at, name, read) ?? noItems(at, name)
}

/** The items of a list that is null; throws the error of a missing field. */
function noItems(at: Reading, name: string): [] {
  return at.object[name] === null ? [] : required<[]>(null, at, name)
}

/** A list of objects; null if the field is missing. */
export function optionalObjects<V>(
  at: Reading,
  name: string,
  read: (inner: Reading, position: number) => V,
): V[] | null {
  const value = raw(at, name)
  if (value === undefined) return null
  const shape = innerShape(at, name)
  return listIn(value, at, name).map((item, position) => {
    const inner = reading(item, at, name, position, at.context, shape)
    const result = read(inner, position)
    finish(inner)
    return result
  })
}

export function itemsOf<V>(value: unknown, at: Reading, name: string, kind: Kind<V>): V[] {
  return listIn(value, at, name).map((item, position) => {
    const read = item === undefined || item === null ? null : kind.read(item)
    if (read === null) throw at.shape.dialect.wrong(`${pathOf(at, name)}[${position}]`, complaintOf(kind, item), item)
    return read
  })
}

export function listIn(value: unknown, at: Reading, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw at.shape.dialect.wrong(pathOf(at, name), 'is no list', value)
}

/** Marks fields as known that hold nothing for a table. */
export function ignore(at: Reading, ...names: readonly string[]): void {
  for (const name of names) at.shape.known.add(name)
}

export function wrong(path: string, what: string, value: unknown): DecodeError {
  return new DecodeError(`The field ${path} of the answer ${what}.`, {
    code: 'decode.field',
    details: { field: path, value: excerpt(value) },
    hint: 'Nothing of this unit was written. The service may have changed its answers: compare with its documentation.',
  })
}

/** Returns the path of a field with positions: `transactions[3].emittedUtxos[0].utxoId`. */
export function pathOf(at: Reading, name?: string): string {
  if (at.parent === null) return name ?? at.name
  const own = at.position < 0 ? at.name : `${at.name}[${at.position}]`
  const path = pathOf(at.parent, own)
  return name === undefined ? path : `${path}.${name}`
}

/** Like `pathOf`, but without positions: all items of a list have the same path. */
function patternOf(at: Reading, name: string): string {
  if (at.parent === null) return name
  const own = at.position < 0 ? at.name : `${at.name}[]`
  return `${patternOf(at.parent, own)}.${name}`
}

export function excerpt(value: unknown): string {
  const shown = JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? inner.toString() : inner))
  return shown === undefined ? 'nothing' : shown.slice(0, 200)
}

/** Lists of field names, in order, with those that are unknown. Most objects at one path of an answer match one of the first. */
type UsualFields = { readonly names: readonly string[]; readonly unknown: readonly string[] }[]

const mostUsual = 8

/** Returns the names of the fields of an object that are not `known`. Callers may only add to `known`. */
export function unknownNames(
  object: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  usual: UsualFields,
): readonly string[] {
  for (const { names, unknown } of usual)
    if (hasNoOthers(object, names, unknown))
      return unknown.length === 0 ? unknown : unknown.filter((name) => !known.has(name))
  const names = Object.keys(object)
  const unknown = names.filter((name) => !known.has(name))
  if (usual.length < mostUsual) usual.push({ names, unknown })
  return unknown
}

/**
 * Returns whether the fields of an object are the first of `names`, or all of them if some are unknown. This takes a fifth of the time of
 * looking up each field.
 */
function hasNoOthers(
  object: Readonly<Record<string, unknown>>,
  names: readonly string[],
  unknown: readonly string[],
): boolean {
  let position = 0
  for (const name in object) if (names[position++] !== name) return false
  return unknown.length === 0 || position === names.length
}

/**
 * Returns readers of fields of one kind: a required value, an optional value that may be missing or empty, and a list. If a field has two
 * names, errors use the first, and `other` is tried second.
 */
export function ofKind<V>(kind: Kind<V>) {
  const optional = (at: Reading, name: string, other?: string): V | null => {
    const value = raw(at, name, other)
    if (value === undefined || isNone(kind, value)) return null
    const found = kind.read(value)
    if (found === null) throw at.shape.dialect.wrong(statedPath(at, name, other), complaintOf(kind, value), value)
    return found
  }
  const needed = (at: Reading, name: string, other?: string): V => {
    const found = optional(at, name, other)
    if (found !== null) return found
    if (raw(at, name, other) === '') throw at.shape.dialect.empty(at, statedPath(at, name, other))
    return required(found, at, name, other)
  }
  const optionalList = (at: Reading, name: string): V[] | null => {
    const value = raw(at, name)
    return value === undefined ? null : itemsOf(value, at, name, kind)
  }
  const list = (at: Reading, name: string): V[] => optionalList(at, name) ?? noItems(at, name)
  return { needed, optional, list, optionalList }
}

/** Token of the next page. Null at the end of a list: the token is missing or empty. */
export function nextPageToken(at: Reading): string | null {
  return optionalText(at, 'nextPageToken') || null
}

/** Addresses of an EVM chain, in lower case. */
export const { needed: address, optional: optionalAddress } = ofKind(kinds.address)
/** A count or position, as a JavaScript number. */
export const { needed: count, optional: optionalCount } = ofKind(kinds.count)
/** The exact decimal digits of a whole number of 256 bits, without leading zeros. */
export const { needed: digits, optional: optionalDigits } = ofKind(kinds.digits)
/** True or false. */
export const { needed: flag, optional: optionalFlag } = ofKind(kinds.flag)
/** A number of 0 or more that the service has rounded: prices, averages. */
export const { needed: fraction, optional: optionalFraction } = ofKind(kinds.fraction)
/** 32 bytes on an EVM chain, in lower case. */
export const { needed: hash } = ofKind(kinds.hash)
/** Bytes as text in lower case. A `0x` prefix is kept. */
export const { needed: hex, optional: optionalHex } = ofKind(kinds.hex)
/** Ids of 32 bytes of any object on the P-Chain, X-Chain or C-Chain. */
export const { needed: id, optional: optionalId, list: ids } = ofKind(kinds.id)
/** A whole number that fits a BIGINT column, such as gas. */
export const { optional: optionalInt64 } = ofKind(kinds.int64)
/** A time in microseconds, from Unix milliseconds. */
export const { optional: optionalMilliseconds } = ofKind(kinds.milliseconds)
/** Ids of nodes: `NodeID-…`. */
export const { needed: nodeId, optional: optionalNodeId } = ofKind(kinds.nodeId)
/** A time in microseconds, from Unix seconds. */
export const { needed: time, optional: optionalTime } = ofKind(kinds.seconds)
/** A text, or a number as the text that it was written as. */
export const { needed: text, optional: optionalText, list: texts, optionalList: optionalTexts } = ofKind(kinds.text)
/** A 32-bit count or position: indices of outputs, thresholds. */
export const { needed: u32 } = ofKind(kinds.u32)
/** A whole number of 64 bits: amounts in the least unit, weights, locktimes in Unix seconds. */
export const { needed: u64, optional: optionalU64 } = ofKind(kinds.u64)
/** Words of the source itself, for a kind, a state or a currency. */
export const { needed: word, optional: optionalWord } = ofKind(kinds.word)

/** Unix seconds of a time in the years 1970 to 9999. */
export function seconds(at: Reading, name: string, other?: string): number {
  return Number(time(at, name, other) / 1_000_000n)
}
