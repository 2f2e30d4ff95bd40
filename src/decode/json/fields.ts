import type { ReadingContext } from '../../define/index.ts'
import { DecodeError } from '../../errors.ts'
import { type UsualFields, unknownNames } from '../usual-fields.ts'

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
type Shape = {
  /** Fields that the decoder has read so far. */
  readonly known: Set<string>
  readonly usual: UsualFields
  readonly inner: Map<string, Shape>
}

/** Returns the object at the top of an answer. Errors use `name` if the answer is not an object. Paths begin below it. */
export function answerObject(answer: unknown, name: string, context: ReadingContext): Reading {
  return reading(answer, null, name, -1, context, newShape())
}

function reading(
  value: unknown,
  parent: Reading | null,
  name: string,
  position: number,
  context: ReadingContext,
  shape: Shape,
): Reading {
  if (!isObject(value)) {
    const at = { object: {}, parent, name, position, context, shape }
    throw wrong(pathOf(at), 'is no object', value)
  }
  return { object: value, parent, name, position, context, shape }
}

function newShape(): Shape {
  return { known: new Set(), usual: [], inner: new Map() }
}

function innerShape(at: Reading, name: string): Shape {
  const known = at.shape.inner.get(name)
  if (known !== undefined) return known
  const shape = newShape()
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
export function statedPath(at: Reading, name: string, other?: string): string {
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
  const path = statedPath(at, name, other)
  throw new DecodeError(`The answer has no field ${path}.`, {
    code: 'decode.missing-field',
    details: {
      field: path,
      'also accepted': other,
      'the object': excerpt(at.object),
    },
    hint: 'Nothing of this unit was written. The service may have changed its answers: compare with its documentation.',
  })
}

/** A text. If a field has two names, errors use the first, and `other` is tried second. */
export function text(at: Reading, name: string, other?: string): string {
  return required(optionalText(at, name, other), at, name, other)
}

/** A text, or a number as the text that it was written as; null if the field is missing. */
export function optionalText(at: Reading, name: string, other?: string): string | null {
  const value = raw(at, name, other)
  if (value === undefined) return null
  if (typeof value === 'string') return value
  if (typeof value === 'bigint' || (typeof value === 'number' && isExact(value))) return String(value)
  throw wrong(statedPath(at, name, other), 'is no text', value)
}

/** A boolean. */
export function flag(at: Reading, name: string, other?: string): boolean {
  return required(optionalFlag(at, name, other), at, name, other)
}

/** A boolean; null if the field is missing. */
export function optionalFlag(at: Reading, name: string, other?: string): boolean | null {
  const value = raw(at, name, other)
  if (value === undefined) return null
  if (typeof value === 'boolean') return value
  if (value === 'true' || value === 'false') return value === 'true'
  throw wrong(pathOf(at, name), 'is neither true nor false', value)
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

/** A list of objects. `finish` is called for each. */
export function objects<V>(at: Reading, name: string, read: (inner: Reading, position: number) => V): V[] {
  return required(optionalObjects(at, name, read), at, name)
}

/** A list of objects; null if the field is missing. */
export function optionalObjects<V>(
  at: Reading,
  name: string,
  read: (inner: Reading, position: number) => V,
): V[] | null {
  const value = raw(at, name)
  if (value === undefined) return null
  if (!Array.isArray(value)) throw wrong(pathOf(at, name), 'is no list', value)
  const shape = innerShape(at, name)
  return value.map((item, position) => {
    const inner = reading(item, at, name, position, at.context, shape)
    const result = read(inner, position)
    finish(inner)
    return result
  })
}

/** A list of texts. */
export function texts(at: Reading, name: string): string[] {
  return required(optionalTexts(at, name), at, name)
}

/** A list of texts; null if the field is missing. */
export function optionalTexts(at: Reading, name: string): string[] | null {
  return items(at, name, (item) => (typeof item === 'string' ? item : null), 'is no text')
}

export function items(
  at: Reading,
  name: string,
  read: (item: unknown) => string | null,
  complaint: string,
): string[] | null {
  const value = raw(at, name)
  if (value === undefined) return null
  if (!Array.isArray(value)) throw wrong(pathOf(at, name), 'is no list', value)
  return value.map((item, position) => {
    const text = read(item)
    if (text === null) throw wrong(`${pathOf(at, name)}[${position}]`, complaint, item)
    return text
  })
}

/** Token of the next page. Null at the end of a list: the token is missing or empty. */
export function nextPageToken(at: Reading): string | null {
  return optionalText(at, 'nextPageToken') || null
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

/** Returns whether a number has the exact value of the answer. A larger integer would have lost digits; lossless parsing keeps them. */
function isExact(value: number): boolean {
  return Number.isSafeInteger(value) || !Number.isInteger(value)
}

function excerpt(value: unknown): string {
  const shown = JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? inner.toString() : inner))
  return shown === undefined ? 'nothing' : shown.slice(0, 200)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
