import { ends, evmAddress, hash, hexBytes, id, nodeId, owner, type TextKind } from '../decode/bounds.ts'
import { optionalFlag, optionalText, pathOf, type Reading, raw, required, wrong } from '../decode/json/fields.ts'
import { jsonText } from '../decode/json/json-text.ts'
import { optionalDigits, optionalMilliseconds, optionalTime, optionalWhole } from '../decode/json/number-fields.ts'
import { ofKind } from '../decode/json/text-fields.ts'
import { type Column, t } from '../define/index.ts'
import { rfc3339ToNs } from '../lib/text/time.ts'
import { isWrittenNumber } from '../lib/text/written-number.ts'
import type { ColumnText } from './list-schema.ts'

/** Reads a field; null when it is missing or empty. Throws `DecodeError`. */
type ReadOptional = (at: Reading, name: string) => unknown

type ColumnType = {
  readonly declare: (comment: string, nullable: boolean) => Column
  readonly read: ReadOptional
}

type Declare = { (comment: string): Column; (comment: string, options: { readonly nullable: true }): Column }

function type(declare: Declare, read: ReadOptional): ColumnType {
  return { declare: (comment, nullable) => (nullable ? declare(comment, { nullable }) : declare(comment)), read }
}

function ofText(declare: Declare, kind: TextKind): ColumnType {
  return type(declare, ofKind(kind).optional)
}

const signed64 = { from: -(2n ** 63n), end: 2n ** 63n }

/** The types of columns, by the names that lists give them. */
const types: Readonly<Record<Exclude<ColumnText['type'], 'time'>, ColumnType>> = {
  text: type(t.text, optionalText),
  id: ofText(t.cb58, id),
  'node-id': ofText(t.address, nodeId),
  hash: ofText(t.hex, hash),
  address: ofText(t.address, evmAddress),
  owner: ofText(t.address, owner),
  hex: ofText(t.hex, hexBytes),
  digits: type(t.hex, optionalDigits),
  int64: type(t.int64, (at, name) => optionalWhole(at, name, signed64)),
  u64: type(t.u64, (at, name) => optionalWhole(at, name, { from: 0n, end: ends.u64 })),
  decimal: type(t.decimal38, (at, name) =>
    optionalWhole(at, name, { from: -ends.decimal38 + 1n, end: ends.decimal38 }),
  ),
  double: type(t.double, optionalDouble),
  boolean: type(t.boolean, optionalFlag),
  json: type(t.text, (at, name) => {
    const value = raw(at, name)
    return value === undefined ? null : jsonText(value)
  }),
}

const times: Readonly<Record<NonNullable<ColumnText['unit']>, ReadOptional>> = {
  seconds: optionalTime,
  milliseconds: (at, name) => {
    const found = optionalMilliseconds(at, name)
    return found === null ? null : BigInt(found) * 1_000n
  },
  microseconds: (at, name) => optionalWhole(at, name, { from: 0n, end: BigInt(ends.seconds) * 1_000_000n }),
  nanoseconds: (at, name) => {
    const found = optionalWhole(at, name, { from: 0n, end: BigInt(ends.seconds) * 1_000_000_000n })
    return found === null ? null : wholeMicroseconds(at, name, found)
  },
  iso: (at, name) => {
    const value = raw(at, name)
    if (value === undefined || value === '') return null
    const found = typeof value === 'string' ? rfc3339ToNs(value) : null
    if (found === null) throw wrong(pathOf(at, name), 'is no RFC 3339 time', value)
    return wholeMicroseconds(at, name, found)
  },
}

/** How the values of a column are declared and read. */
export function columnType({ type, unit = 'seconds' }: Pick<ColumnText, 'type' | 'unit'>): ColumnType {
  return type === 'time'
    ? {
        declare: (comment, nullable) => (nullable ? t.timestamp(comment, { nullable }) : t.timestamp(comment)),
        read: times[unit],
      }
    : types[type]
}

/** Reads a field as the column states it. Throws `DecodeError` for a missing value of a column that is not nullable. */
export function fieldReader(column: ColumnText): ReadOptional {
  const { read } = columnType(column)
  const isJson = column.type === 'json'
  const nulls = new Set((column['null-values'] ?? []).map(String))
  return (at, name) => {
    const value = raw(at, name)
    const isNull = value === undefined || (typeof value !== 'object' && nulls.has(String(value)))
    const from = isWrittenNumber(value) && !isJson ? withText(at, name, value.toString()) : at
    const found = isNull ? null : read(from, name)
    if (found !== null || column.nullable === true) return found
    if (value === '') throw wrong(pathOf(at, name), 'is empty', value)
    return required(null, at, name)
  }
}

/** The object with a number as the text that it was written as, since a `number` would round it. */
function withText(at: Reading, name: string, text: string): Reading {
  return { ...at, object: { ...at.object, [name]: text } }
}

function optionalDouble(at: Reading, name: string): number | null {
  const value = raw(at, name)
  if (value === undefined || value === '') return null
  const number = typeof value === 'string' && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(value) ? Number(value) : value
  if (
    typeof number === 'bigint' ||
    (typeof number === 'number' && Number.isInteger(number) && !Number.isSafeInteger(number))
  )
    throw wrong(pathOf(at, name), 'is a whole number that a double would round (use the type decimal)', value)
  if (typeof number === 'number' && Number.isFinite(number)) return number
  throw wrong(pathOf(at, name), 'is no number', value)
}

function wholeMicroseconds(at: Reading, name: string, nanoseconds: bigint): bigint {
  if (nanoseconds % 1_000n === 0n) return nanoseconds / 1_000n
  throw wrong(pathOf(at, name), 'is a time with nanoseconds, which a time column would cut off', raw(at, name))
}
