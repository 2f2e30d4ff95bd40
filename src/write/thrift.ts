import { StorageError } from '../errors.ts'

/** A decoded thrift value; a struct is a map from field id to value. */
export type Thrift = boolean | bigint | Uint8Array | Thrift[] | ThriftStruct
export type ThriftStruct = Map<number, Thrift>

type Cursor = { readonly bytes: Uint8Array; at: number }

/** Reads one struct in thrift's compact protocol, the format of Parquet footers. Throws `StorageError`. */
export function readThrift(bytes: Uint8Array): ThriftStruct {
  return readStruct({ bytes, at: 0 })
}

function readStruct(cursor: Cursor): ThriftStruct {
  const fields: ThriftStruct = new Map()
  let id = 0
  for (;;) {
    const header = readByte(cursor)
    if (header === 0) return fields
    id = header >> 4 === 0 ? Number(readZigzag(cursor)) : id + (header >> 4)
    const type = header & 0x0f
    // A boolean field has its value in its type.
    fields.set(id, type === 1 || type === 2 ? type === 1 : readValue(cursor, type))
  }
}

function readValue(cursor: Cursor, type: number): Thrift {
  switch (type) {
    case 1:
    case 2:
      return readByte(cursor) === 1
    case 3:
      return BigInt.asIntN(8, BigInt(readByte(cursor)))
    case 4:
    case 5:
    case 6:
      return readZigzag(cursor)
    case 7:
      return readBytes(cursor, 8)
    case 8:
      return readBytes(cursor, Number(readVarint(cursor)))
    case 9:
    case 10:
      return readList(cursor)
    case 12:
      return readStruct(cursor)
    default:
      throw malformed(`the type ${type}`)
  }
}

function readList(cursor: Cursor): Thrift[] {
  const header = readByte(cursor)
  const count = header >> 4 === 15 ? Number(readVarint(cursor)) : header >> 4
  const items: Thrift[] = []
  for (let i = 0; i < count; i++) items.push(readValue(cursor, header & 0x0f))
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
  for (let shift = 0n; ; shift += 7n) {
    const byte = readByte(cursor)
    value |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return value
  }
}

function readZigzag(cursor: Cursor): bigint {
  const value = readVarint(cursor)
  return (value >> 1n) ^ -(value & 1n)
}

function malformed(what: string): StorageError {
  return new StorageError(`The metadata of a Parquet file has ${what}.`, { code: 'storage.parquet' })
}
