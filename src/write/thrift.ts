import { StorageError } from '../errors.ts'

/** A struct of thrift: its values by `field_` and their ids. Integers are `bigint`. */
export type Thrift = Readonly<Record<`field_${number}`, unknown>>

type Cursor = { readonly bytes: Uint8Array; at: number }

/** How deep structs and lists may be within each other. Those of Parquet are 8 deep. */
const mostNested = 32

/**
 * Reads one struct in thrift's compact protocol, the format of Parquet footers. Throws `StorageError`. The bytes may be damaged: a list takes
 * memory for the items that it has, not for those that it claims to have.
 */
export function readThrift(bytes: Uint8Array): Thrift {
  return readStruct({ bytes, at: 0 }, 0)
}

function readStruct(cursor: Cursor, depth: number): Thrift {
  const fields: Record<`field_${number}`, unknown> = {}
  let id = 0
  for (;;) {
    const header = readByte(cursor)
    if (header === 0) return fields
    const type = header & 0x0f
    id = header >> 4 === 0 ? Number(readInteger(cursor)) : id + (header >> 4)
    // A boolean field has its value in its type.
    fields[`field_${id}`] = type === 1 || type === 2 ? type === 1 : readValue(cursor, type, depth)
  }
}

function readValue(cursor: Cursor, type: number, depth: number): unknown {
  switch (type) {
    case 1:
    case 2:
      return readByte(cursor) === 1
    case 3:
      return BigInt.asIntN(8, BigInt(readByte(cursor)))
    case 4:
    case 5:
    case 6:
      return readInteger(cursor)
    case 7:
      return readBytes(cursor, 8)
    case 8:
      return readBytes(cursor, Number(readVarint(cursor)))
    case 9:
    case 12:
      if (depth === mostNested) throw malformed('structs or lists too deep within each other')
      return type === 9 ? readList(cursor, depth + 1) : readStruct(cursor, depth + 1)
    default:
      throw malformed(`the type ${type}`)
  }
}

function readList(cursor: Cursor, depth: number): unknown[] {
  const header = readByte(cursor)
  const count = header >> 4 === 15 ? Number(readVarint(cursor)) : header >> 4
  const items: unknown[] = []
  for (let i = 0; i < count; i++) items.push(readValue(cursor, header & 0x0f, depth))
  return items
}

function readByte(cursor: Cursor): number {
  const byte = cursor.bytes[cursor.at++]
  if (byte === undefined) throw malformed('an early end')
  return byte
}

function readBytes(cursor: Cursor, length: number): Uint8Array {
  const from = cursor.at
  cursor.at += length
  if (cursor.at > cursor.bytes.length) throw malformed('an early end')
  return cursor.bytes.subarray(from, cursor.at)
}

function readVarint(cursor: Cursor): bigint {
  let value = 0n
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = readByte(cursor)
    value |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return value
  }
  throw malformed('a number of more than 64 bits')
}

function readInteger(cursor: Cursor): bigint {
  const value = readVarint(cursor)
  return (value >> 1n) ^ -(value & 1n)
}

function malformed(what: string): StorageError {
  return new StorageError(`The metadata of a Parquet file has ${what}.`, { code: 'storage.parquet' })
}
