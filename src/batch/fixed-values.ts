import { Bool, Decimal, Float64, Int64, makeData, TimestampMicrosecond } from 'apache-arrow'
import { earliestTime, latestTime } from '../lib/text/time-range.ts'
import { refusedValue } from './refusal.ts'
import { type ByteCount, type Values, withRoom } from './values.ts'

const two32 = 2 ** 32
const two64 = 2n ** 64n

/** BIGINT: a safe integer is stored as two 32-bit words, because converting it to a bigint would cost an allocation. */
export function int64Values(column: string, count: ByteCount): Values {
  let values = new BigInt64Array()
  let words = new Int32Array(values.buffer)
  let length = 0
  const reserve = (size: number): void => {
    values = withRoom(values, length + size)
    words = new Int32Array(values.buffer)
    count.bytes += 8 * size
  }
  return {
    append(block, size) {
      reserve(size)
      for (let i = 0; i < size; i++) {
        const value = block[i]
        const at = length++
        if (typeof value === 'number' && Number.isSafeInteger(value)) {
          const high = Math.floor(value / two32)
          words[2 * at] = value - high * two32
          words[2 * at + 1] = high
        } else if (value === null) values[at] = 0n
        else if (isInt64(value)) values[at] = value
        else throw refusedValue(column, value, 'integers of 64 bits')
      }
    },
    pad(size) {
      reserve(size)
      values.fill(0n, length, length + size)
      length += size
    },
    data: (length, nulls) => makeData({ type: new Int64(), length, ...nulls, data: values.subarray(0, length) }),
    clear() {
      length = 0
    },
  }
}

function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && BigInt.asIntN(64, value) === value
}

/** TIMESTAMP WITH TIME ZONE: microseconds since 1970 UTC as `bigint`. */
export function timestampValues(column: string, count: ByteCount): Values {
  let values = new BigInt64Array()
  let length = 0
  // All rows of a block have the same time, so check it once.
  let last = 0n
  const reserve = (size: number): void => {
    values = withRoom(values, length + size)
    count.bytes += 8 * size
  }
  return {
    append(block, size) {
      reserve(size)
      for (let i = 0; i < size; i++) {
        const value = block[i]
        if (value !== last && value !== null) {
          if (typeof value !== 'bigint' || value < earliestTime || value > latestTime)
            throw refusedValue(column, value, 'microseconds since 1970 as bigint, of the years 1 to 9999')
          last = value
        }
        values[length++] = value === null ? 0n : last
      }
    },
    pad(size) {
      reserve(size)
      values.fill(0n, length, length + size)
      length += size
    },
    data: (length, nulls) =>
      makeData({ type: new TimestampMicrosecond('UTC'), length, ...nulls, data: values.subarray(0, length) }),
    clear() {
      length = 0
    },
  }
}

/** DECIMAL(precision,0): two little-endian 64-bit words per value; the upper one is signed. */
export function decimalValues(column: string, precision: 20 | 38, count: ByteCount): Values {
  const bound = 10n ** BigInt(precision)
  const refused = (value: unknown): Error => refusedValue(column, value, `bigint of ${precision} digits`)
  const checkBound = (value: bigint): void => {
    if (value >= bound || value <= -bound) throw refused(value)
  }
  let words = new BigInt64Array()
  let length = 0
  const reserve = (size: number): void => {
    words = withRoom(words, 2 * (length + size))
    // Small values and nulls leave the upper word zero.
    words.fill(0n, 2 * length, 2 * (length + size))
    count.bytes += 16 * size
  }
  return {
    append(block, size) {
      reserve(size)
      for (let i = 0; i < size; i++) {
        const value = block[i]
        const at = 2 * length++
        if (value === null) continue
        if (typeof value !== 'bigint') throw refused(value)
        words[at] = value
        // A comparison is faster than a conversion to 64 bits, which calls into the runtime for each larger amount.
        if (value >= 0n && value < two64) continue
        checkBound(value)
        words[at + 1] = value >> 64n
      }
    },
    pad(size) {
      reserve(size)
      length += size
    },
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
  let values = new Float64Array()
  let length = 0
  const reserve = (size: number): void => {
    values = withRoom(values, length + size)
    count.bytes += 8 * size
  }
  return {
    append(block, size) {
      reserve(size)
      for (let i = 0; i < size; i++) {
        const value = block[i]
        if (typeof value !== 'number' && value !== null) throw refusedValue(column, value, 'numbers')
        values[length++] = value ?? 0
      }
    },
    pad(size) {
      reserve(size)
      values.fill(0, length, length + size)
      length += size
    },
    data: (length, nulls) => makeData({ type: new Float64(), length, ...nulls, data: values.subarray(0, length) }),
    clear() {
      length = 0
    },
  }
}

/** BOOLEAN: one bit per value, least significant first. */
export function booleanValues(column: string, count: ByteCount): Values {
  let bits = new Uint8Array()
  let length = 0
  const put = (value: boolean): void => {
    const bit = 1 << (length & 7)
    const byte = bits[length >> 3] as number
    bits[length >> 3] = value ? byte | bit : byte & ~bit
    length++
  }
  const reserve = (size: number): void => {
    bits = withRoom(bits, Math.ceil((length + size) / 8))
    count.bytes += size
  }
  return {
    append(block, size) {
      reserve(size)
      for (let i = 0; i < size; i++) {
        const value = block[i]
        if (typeof value !== 'boolean' && value !== null) throw refusedValue(column, value, 'true or false')
        put(value ?? false)
      }
    },
    pad(size) {
      reserve(size)
      for (let i = 0; i < size; i++) put(false)
    },
    data: (length, nulls) =>
      makeData({ type: new Bool(), length, ...nulls, data: bits.subarray(0, Math.ceil(length / 8)) }),
    clear() {
      length = 0
    },
  }
}
