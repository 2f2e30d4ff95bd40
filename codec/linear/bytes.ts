import { advance, type Reader, ReadFailure } from './reader.ts'
import { u16, u32 } from './scalars.ts'
import type { Fixed, Schema } from './schema.ts'
import { reserve } from './writer.ts'

/** Returns a view, not a copy. It keeps the container's buffer alive. */
export function view(reader: Reader, start: number, length: number): Uint8Array {
  return new Uint8Array(reader.buffer, reader.origin + start, length)
}

/** `length` bytes without a length prefix. */
export function fixed(length: number): Fixed {
  return {
    length,
    read: (reader) => view(reader, advance(reader, length), length),
    write: (writer, value) => {
      if (value.length !== length) throw new RangeError(`${length} bytes expected, not ${value.length}`)
      const at = reserve(writer, length)
      writer.bytes.set(value, at)
    },
  }
}

/** Bytes after their length (u32). */
export const bytes: Schema<Uint8Array> = {
  read: (reader) => {
    const length = u32.read(reader)
    return view(reader, advance(reader, length), length)
  },
  write: (writer, value) => {
    u32.write(writer, value.length)
    const at = reserve(writer, value.length)
    writer.bytes.set(value, at)
  },
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** UTF-8 text after its length in bytes (u16). */
export const text: Schema<string> = {
  read: (reader) => {
    const length = u16.read(reader)
    const start = advance(reader, length)
    try {
      return decoder.decode(view(reader, start, length))
    } catch {
      throw new ReadFailure('text is not UTF-8', start)
    }
  },
  write: (writer, value) => {
    const encoded = encoder.encode(value)
    u16.write(writer, encoded.length)
    const at = reserve(writer, encoded.length)
    writer.bytes.set(encoded, at)
  },
}

/** An id of a block, transaction, chain, subnet, asset or validation. */
export const id = fixed(32)
/** An address: ripemd160(sha256(public key)). */
export const shortId = fixed(20)
