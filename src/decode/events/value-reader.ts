import { type AbiType, headSize, isDynamic, isWide, word } from './abi-type.ts'
import { fieldNames, fitsInt64 } from './event-table.ts'
import { areZeros, countAt, type LogData, LogDataError, padded, takeBytes, unsignedAt } from './log-data.ts'

/**
 * Reads a value for its column: `at` is its place (of the value itself, or of its offset), `base` is where offsets count from. The caller
 * has taken the bytes at the place. Throws `LogDataError`.
 */
type ReadValue = (data: LogData, at: number, base: number) => unknown

/** Creates the function that reads values of a type. Within lists and structs wide integers are text. */
export function valueReader(type: AbiType): ReadValue {
  switch (type.kind) {
    case 'address':
      return hexReader(12, word)
    case 'function':
      return hexReader(0, 24)
    case 'fixed-bytes':
      return hexReader(0, type.size)
    case 'bool':
      return readBool
    case 'uint':
    case 'int':
      return numberReader(type)
    case 'string':
      return behindOffset(readString)
    case 'bytes':
      return behindOffset(readBytes)
    case 'array':
      return arrayReader(type)
    case 'tuple':
      return tupleReader(type)
  }
}

/** Reads `[from, to)` of a word as hex text. The other bytes must be zero. */
function hexReader(from: number, to: number): ReadValue {
  return (data, at) => {
    if (!areZeros(data, at, at + from) || !areZeros(data, at + to, at + word)) throw new LogDataError('dirty_padding')
    return `0x${data.bytes.toString('hex', at + from, at + to)}`
  }
}

function readBool(data: LogData, at: number): boolean {
  const last = data.bytes[at + word - 1]!
  if (last > 1 || !areZeros(data, at, at + word - 1)) throw new LogDataError('dirty_padding')
  return last === 1
}

type Integer = Extract<AbiType, { bits: number }>

/** Creates the function that reads an integer as a bigint. */
export function integerReader({ kind, bits }: Integer): (data: LogData, at: number) => bigint {
  const end = 2n ** BigInt(bits)
  if (kind === 'uint')
    return (data, at) => {
      const value = unsignedAt(data, at)
      if (value >= end) throw new LogDataError('dirty_padding')
      return value
    }
  const half = end / 2n
  return (data, at) => {
    const given = unsignedAt(data, at)
    const value = given < half ? given : BigInt.asIntN(256, given)
    if (value >= half || value < -half) throw new LogDataError('dirty_padding')
    return value
  }
}

const [least, most] = [BigInt(Number.MIN_SAFE_INTEGER), BigInt(Number.MAX_SAFE_INTEGER)]

/** An integer as its column holds it: a number or a bigint for BIGINT, a bigint for DECIMAL, text for wider ones. */
function numberReader(type: Integer): ReadValue {
  const read = integerReader(type)
  if (isWide(type)) return (data, at) => read(data, at).toString()
  if (!fitsInt64(type)) return read
  return (data, at) => {
    const value = read(data, at)
    return value >= least && value <= most ? Number(value) : value
  }
}

/** Reads what an offset refers to; see `ReadValue`. */
function behindOffset(read: (data: LogData, start: number) => unknown): ReadValue {
  return (data, at, base) => read(data, base + countAt(data, at))
}

/** Reads the length at the start of a value, and takes its bytes. Returns the number of items. */
function takeLength(data: LogData, start: number): number {
  takeBytes(data, start, word)
  return countAt(data, start)
}

/** Reads the bytes after their length, and checks their padding. */
function takeContent(data: LogData, start: number): { readonly from: number; readonly to: number } {
  const length = takeLength(data, start)
  const from = start + word
  takeBytes(data, from, padded(length))
  if (!areZeros(data, from + length, from + padded(length))) throw new LogDataError('dirty_padding')
  return { from, to: from + length }
}

function readBytes(data: LogData, start: number): Uint8Array {
  const { from, to } = takeContent(data, start)
  return data.bytes.subarray(from, to)
}

/** A byte order mark is a part of the text. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function readString(data: LogData, start: number): string {
  const { from, to } = takeContent(data, start)
  try {
    return utf8.decode(data.bytes.subarray(from, to))
  } catch {
    throw new LogDataError('invalid_utf8')
  }
}

function arrayReader(type: Extract<AbiType, { kind: 'array' }>): ReadValue {
  const { item, length } = type
  const readItem = valueReader(item)
  const size = headSize(item)
  const readItems = (data: LogData, start: number, count: number): unknown[] => {
    const items: unknown[] = []
    for (let i = 0; i < count; i++) items.push(readItem(data, start + i * size, start))
    return items
  }
  if (length === null)
    return behindOffset((data, start) => {
      const count = takeLength(data, start)
      takeBytes(data, start + word, count * size)
      return readItems(data, start + word, count)
    })
  if (!isDynamic(type)) return (data, at) => readItems(data, at, length)
  return behindOffset((data, start) => {
    takeBytes(data, start, length * size)
    return readItems(data, start, length)
  })
}

function tupleReader(type: Extract<AbiType, { kind: 'tuple' }>): ReadValue {
  const names = fieldNames(type.fields)
  let size = 0
  const fields = type.fields.map((field, index) => {
    const [name, at] = [names[index]!, size]
    size += headSize(field.type)
    return { name, at, read: valueReader(field.type) }
  })
  const readFields = (data: LogData, start: number): object => {
    const value: Record<string, unknown> = {}
    for (const { name, at, read } of fields) value[name] = read(data, start + at, start)
    return value
  }
  if (!isDynamic(type)) return readFields
  return behindOffset((data, start) => {
    takeBytes(data, start, size)
    return readFields(data, start)
  })
}
