import { advance, ReadFailure } from './reader.ts'
import type { Schema } from './schema.ts'
import { reserve } from './writer.ts'

function inRange(value: number, bits: number): number {
  if (!Number.isInteger(value) || value < 0 || value >= 2 ** bits)
    throw new RangeError(`${value} is not an unsigned ${bits}-bit integer`)
  return value
}

export const u8: Schema<number> = {
  read: (reader) => reader.bytes[advance(reader, 1)]!,
  write: (writer, value) => {
    const at = reserve(writer, 1)
    writer.bytes[at] = inRange(value, 8)
  },
}

export const u16: Schema<number> = {
  read: (reader) => {
    const at = advance(reader, 2)
    return (reader.bytes[at]! << 8) | reader.bytes[at + 1]!
  },
  write: (writer, value) => {
    const at = reserve(writer, 2)
    writer.bytes[at] = inRange(value, 16) >>> 8
    writer.bytes[at + 1] = value
  },
}

/** Returns the unsigned 32-bit big-endian integer at `at`. */
function u32At(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
}

function setU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24
  bytes[at + 1] = value >>> 16
  bytes[at + 2] = value >>> 8
  bytes[at + 3] = value
}

export const u32: Schema<number> = {
  read: (reader) => {
    const at = advance(reader, 4)
    return u32At(reader.bytes, at)
  },
  write: (writer, value) => {
    const at = reserve(writer, 4)
    setU32(writer.bytes, at, inRange(value, 32))
  },
}

/** A pair of 32-bit words, viewed as one 64-bit integer. It gives a bigint without arithmetic. Every host of Node is little-endian. */
const words = new Uint32Array(2)
const unsigned = new BigUint64Array(words.buffer)
const signed = new BigInt64Array(words.buffer)

function loadWords(bytes: Uint8Array, at: number): void {
  words[1] = u32At(bytes, at)
  words[0] = u32At(bytes, at + 4)
}

function storeWords(bytes: Uint8Array, at: number): void {
  setU32(bytes, at, words[1]!)
  setU32(bytes, at + 4, words[0]!)
}

export const u64: Schema<bigint> = {
  read: (reader) => {
    loadWords(reader.bytes, advance(reader, 8))
    return unsigned[0]!
  },
  write: (writer, value) => {
    if (BigInt.asUintN(64, value) !== value) throw new RangeError(`${value} is not an unsigned 64-bit integer`)
    const at = reserve(writer, 8)
    unsigned[0] = value
    storeWords(writer.bytes, at)
  },
}

export const i64: Schema<bigint> = {
  read: (reader) => {
    loadWords(reader.bytes, advance(reader, 8))
    return signed[0]!
  },
  write: (writer, value) => {
    if (BigInt.asIntN(64, value) !== value) throw new RangeError(`${value} is not a signed 64-bit integer`)
    const at = reserve(writer, 8)
    signed[0] = value
    storeWords(writer.bytes, at)
  },
}

export const bool: Schema<boolean> = {
  read: (reader) => {
    const at = advance(reader, 1)
    const value = reader.bytes[at]!
    if (value > 1) throw new ReadFailure(`a boolean is 0 or 1, not ${value}`, at)
    return value === 1
  },
  write: (writer, value) => {
    const at = reserve(writer, 1)
    writer.bytes[at] = value ? 1 : 0
  },
}
