import { Bool, Decimal, Float64, Int64, makeData, TimestampMicrosecond } from 'apache-arrow'
import { earliestTime, latestTime } from '../lib/time-range.ts'
import { refusedValue } from './refusal.ts'
import { type ByteCount, firstCapacity, type Values } from './values.ts'

const two32 = 2 ** 32

/** BIGINT: safe integers go in as two 32-bit words, since a bigint made for each would cost an allocation. */
export function int64Values(column: string, count: ByteCount): Values {
  let values = new BigInt64Array(firstCapacity)
  let words = new Int32Array(values.buffer)
  let length = 0
  const place = (): number => {
    if (length === values.length) {
      values = doubled(values)
      words = new Int32Array(values.buffer)
    }
    count.bytes += 8
    return length++
  }
  return {
    append(value) {
      if (typeof value === 'number') {
        if (!Number.isSafeInteger(value)) throw refusedValue(column, value, 'integers of 64 bits')
        const at = 2 * place()
        const high = Math.floor(value / two32)
        words[at] = value - high * two32
        words[at + 1] = high
      } else {
        if (typeof value !== 'bigint' || BigInt.asIntN(64, value) !== value)
          throw refusedValue(column, value, 'integers of 64 bits')
        // First the place: it may put a wider array where `values` was.
        const at = place()
        values[at] = value
      }
    },
    pad() {
      const at = place()
      values[at] = 0n
    },
    data: (length, nulls) => makeData({ type: new Int64(), length, ...nulls, data: values.subarray(0, length) }),
    clear() {
      length = 0
    },
  }
}

/** TIMESTAMP WITH TIME ZONE: microseconds since 1970 UTC as `bigint`. */
export function timestampValues(column: string, count: ByteCount): Values {
  let values = new BigInt64Array(firstCapacity)
  let length = 0
  const put = (value: bigint): void => {
    if (length === values.length) values = doubled(values)
    values[length++] = value
    count.bytes += 8
  }
  return {
    append(value) {
      if (typeof value !== 'bigint' || value < earliestTime || value > latestTime)
        throw refusedValue(column, value, 'microseconds since 1970 as bigint, of the years 1 to 9999')
      put(value)
    },
    pad: () => put(0n),
    data: (length, nulls) =>
      makeData({ type: new TimestampMicrosecond('UTC'), length, ...nulls, data: values.subarray(0, length) }),
    clear() {
      length = 0
    },
  }
}

/** DECIMAL(precision,0): two little-endian words of 64 bits a value, the upper one signed. */
export function decimalValues(column: string, precision: 20 | 38, count: ByteCount): Values {
  const bound = 10n ** BigInt(precision)
  let words = new BigInt64Array(2 * firstCapacity)
  let length = 0
  const put = (low: bigint, high: bigint): void => {
    if (2 * length === words.length) words = doubled(words)
    words[2 * length] = low
    words[2 * length + 1] = high
    length++
    count.bytes += 16
  }
  return {
    append(value) {
      if (typeof value !== 'bigint') throw refusedValue(column, value, `bigint of ${precision} digits`)
      if (BigInt.asUintN(64, value) === value) return put(value, 0n)
      if (value >= bound || value <= -bound) throw refusedValue(column, value, `bigint of ${precision} digits`)
      put(value, value >> 64n)
    },
    pad: () => put(0n, 0n),
    data: (length, nulls) =>
      makeData({
        type: new Decimal(0, precision, 128),
        length,
        ...nulls,
        data: new Uint32Array(words.buffer, 0, 4 * length),
      }),
    clear() {
      length = 0
    },
  }
}

export function doubleValues(column: string, count: ByteCount): Values {
  let values = new Float64Array(firstCapacity)
  let length = 0
  const put = (value: number): void => {
    if (length === values.length) values = doubled(values)
    values[length++] = value
    count.bytes += 8
  }
  return {
    append(value) {
      if (typeof value !== 'number') throw refusedValue(column, value, 'numbers')
      put(value)
    },
    pad: () => put(0),
    data: (length, nulls) => makeData({ type: new Float64(), length, ...nulls, data: values.subarray(0, length) }),
    clear() {
      length = 0
    },
  }
}

/** One bit a value, least significant first. */
export function booleanValues(column: string, count: ByteCount): Values {
  let bits = new Uint8Array(firstCapacity)
  let length = 0
  const put = (value: boolean): void => {
    if (length === 8 * bits.length) bits = doubled(bits)
    const bit = 1 << (length & 7)
    const byte = bits[length >> 3] as number
    bits[length >> 3] = value ? byte | bit : byte & ~bit
    length++
    count.bytes += 1
  }
  return {
    append(value) {
      if (typeof value !== 'boolean') throw refusedValue(column, value, 'true or false')
      put(value)
    },
    pad: () => put(false),
    data: (length, nulls) =>
      makeData({ type: new Bool(), length, ...nulls, data: bits.subarray(0, Math.ceil(length / 8)) }),
    clear() {
      length = 0
    },
  }
}

type Growing =
  | BigInt64Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>

/** A copy with twice the room. */
export function doubled<T extends Growing>(values: T): T {
  const wider = new Uint8Array(2 * values.byteLength)
  wider.set(new Uint8Array(values.buffer))
  return new (values.constructor as new (buffer: ArrayBuffer) => T)(wider.buffer)
}
