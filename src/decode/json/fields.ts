import type { ReadingContext } from '../../define/index.ts'
import { DecodeError } from '../../errors.ts'
import { type UsualFields, unknownNames } from '../usual-fields.ts'
import { complaintOf, type Kind } from './kinds.ts'

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
  /** Fields that the decoder has read so far. */
  readonly known: Set<string>
  readonly usual: UsualFields
  readonly inner: Map<string, Shape>
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
    throw wrong(pathOf(at), 'is no object', value)
  }
  return { object: value, parent, name, position, context, shape }
}

export function newShape(known: Iterable<string> = []): Shape {
  return { known: new Set(known), usual: [], inner: new Map() }
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
  const shape = innerShape(at, name)
  return listIn(value, at, name).map((item, position) => {
    const inner = reading(item, at, name, position, at.context, shape)
    const result = read(inner, position)
    finish(inner)
    return result
  })
}

/** A list of values of one kind; null if the field is missing. */
export function items<V>(at: Reading, name: string, kind: Kind<V>): V[] | null {
  const value = raw(at, name)
  return value === undefined ? null : itemsOf(value, at, name, kind)
}

/** The values of a list. */
export function itemsOf<V>(value: unknown, at: Reading, name: string, kind: Kind<V>): V[] {
  return listIn(value, at, name).map((item, position) => {
    const read = item === undefined || item === null ? null : kind.read(item)
    if (read === null) throw wrong(`${pathOf(at, name)}[${position}]`, complaintOf(kind, item), item)
    return read
  })
}

/** A value that must be a list. */
export function listIn(value: unknown, at: Reading, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw wrong(pathOf(at, name), 'is no list', value)
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

function excerpt(value: unknown): string {
  const shown = JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? inner.toString() : inner))
  return shown === undefined ? 'nothing' : shown.slice(0, 200)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
