import { type Reader, ReadFailure } from '../linear/reader.ts'
import { reserve, type Writer } from '../linear/writer.ts'

/** First byte of an empty string and of an empty list (Ethereum yellow paper, appendix B). */
const strings = 0x80
const lists = 0xc0
/** The longest payload with its length in the first byte, in bytes. */
const shortest = 55

/** Returns the first byte of the next item. Fails at the end of the bytes. */
function peek(reader: Reader): number {
  const first = reader.bytes[reader.offset]
  if (first === undefined) throw new ReadFailure('an RLP item expected, nothing left', reader.offset)
  return first
}

export function isList(reader: Reader): boolean {
  return peek(reader) >= lists
}

/** Moves to the payload of a string and returns its length. */
export function enterString(reader: Reader): number {
  const at = reader.offset
  const first = peek(reader)
  if (first < strings) return 1
  if (first >= lists) throw new ReadFailure('an RLP string expected, not a list', at)
  const length = enter(reader, first - strings)
  if (length === 1 && reader.bytes[reader.offset]! < strings)
    throw new ReadFailure('a byte below 128 stands for itself in RLP', at)
  return length
}

/** Moves to the payload of a list and returns where it ends. */
export function enterList(reader: Reader): number {
  const at = reader.offset
  const first = peek(reader)
  if (first < lists) throw new ReadFailure('an RLP list expected, not a string', at)
  const length = enter(reader, first - lists)
  return reader.offset + length
}

function enter(reader: Reader, code: number): number {
  const { bytes, offset } = reader
  let length = code
  let start = offset + 1
  if (code > shortest) {
    const digits = code - shortest
    if (bytes[start] === 0) throw new ReadFailure('an RLP length begins with zero', offset)
    length = 0
    for (let i = 0; i < digits; i++) length = length * 256 + (bytes[start + i] ?? 0)
    if (length <= shortest) throw new ReadFailure('an RLP length is written longer than needed', offset)
    start += digits
  }
  if (start + length > bytes.length)
    throw new ReadFailure(`${length} bytes expected, ${Math.max(0, bytes.length - start)} left`, offset)
  reader.offset = start
  return length
}

/** Skips an item of any content. */
export function skipItem(reader: Reader): void {
  if (isList(reader)) reader.offset = enterList(reader)
  else reader.offset = enterString(reader) + reader.offset
}

/** Fails if the reader is not exactly at the end of its list. */
export function leaveList(reader: Reader, end: number): void {
  if (reader.offset < end)
    throw new ReadFailure(`${end - reader.offset} bytes are left over in an RLP list`, reader.offset)
  if (reader.offset > end) throw new ReadFailure('an item reaches beyond its RLP list', end)
}

export function writeString(writer: Writer, value: Uint8Array): void {
  if (value.length !== 1 || value[0]! >= strings) writePrefix(writer, strings, value.length)
  const at = reserve(writer, value.length)
  writer.bytes.set(value, at)
}

/** Writes items that are already RLP. */
export function writeItems(writer: Writer, items: Uint8Array): void {
  const at = reserve(writer, items.length)
  writer.bytes.set(items, at)
}

/** Writes a list. `write` writes its payload. */
export function writeList(writer: Writer, write: () => void): void {
  const start = writer.offset
  write()
  const length = writer.offset - start
  const prefixLength = length > shortest ? 1 + lengthDigits(length) : 1
  reserve(writer, prefixLength)
  writer.bytes.copyWithin(start + prefixLength, start, start + length)
  writer.offset = start
  writePrefix(writer, lists, length)
  writer.offset = start + prefixLength + length
}

function lengthDigits(length: number): number {
  return Math.ceil(length.toString(16).length / 2)
}

function writePrefix(writer: Writer, base: number, length: number): void {
  if (length <= shortest) {
    const at = reserve(writer, 1)
    writer.bytes[at] = base + length
    return
  }
  const digits = lengthDigits(length)
  const at = reserve(writer, 1 + digits)
  writer.bytes[at] = base + shortest + digits
  for (let i = digits, left = length; i > 0; i--, left = Math.floor(left / 256)) writer.bytes[at + i] = left % 256
}
