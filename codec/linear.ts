import { DecodeError } from './errors.ts'
import { fieldReader } from './generated-code.ts'

/** Reads and writes the bytes of a type. `read` throws `ReadFailure`, `write` throws `RangeError`. */
export type Schema<T> = {
  readonly read: (reader: Reader) => T
  readonly write: (writer: Writer, value: T) => void
}

export type ValueOf<S> = S extends Schema<infer T> ? T : never

/** Schemas that contain others expose them, so that tests and tools can walk them. */
type Wrapping<T> = Schema<T> & { readonly inner: Schema<T> }
export type Fixed = Schema<Uint8Array> & { readonly length: number }
export type List<T> = Schema<readonly T[]> & { readonly item: Schema<T> }

/** A position in bytes. The functions that read advance it. */
export type Reader = {
  readonly bytes: Uint8Array
  /** Buffer and offset of `bytes`. They are read once, because each access takes as long as creating two views. */
  readonly buffer: ArrayBufferLike
  readonly origin: number
  offset: number
  /** Start and end of each value that `spanned` schemas have read, in order. */
  readonly spans: number[]
}

export function createReader(bytes: Uint8Array): Reader {
  return { bytes, buffer: bytes.buffer, origin: bytes.byteOffset, offset: 0, spans: [] }
}

/**
 * The bytes do not match the schema. `read` throws this error, and `decodeExactly` turns it into a `DecodeError`. Structs, lists and unions
 * put their names in front of the path as the error passes, so reading itself keeps no path.
 */
export class ReadFailure extends Error {
  readonly offset: number
  readonly path: (string | number)[] = []

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/** Adds the name of a field or a position in a list to a failure on its way to the caller. */
export function located(cause: unknown, segment: string | number): unknown {
  if (cause instanceof ReadFailure) cause.path.unshift(segment)
  return cause
}

/** Skips `length` bytes and returns the offset of the first. */
export function advance(reader: Reader, length: number): number {
  const start = reader.offset
  const left = reader.bytes.length - start
  if (length > left) throw new ReadFailure(`${length} bytes expected, ${left} left`, start)
  reader.offset = start + length
  return start
}

/** A buffer that grows. The functions that write fill it. */
export type Writer = { bytes: Uint8Array; offset: number }

export function createWriter(capacity = 256): Writer {
  return { bytes: new Uint8Array(capacity), offset: 0 }
}

/** Reserves `length` bytes and returns the offset of the first. Read `writer.bytes` afterwards: it may be another array. */
export function reserve(writer: Writer, length: number): number {
  const start = writer.offset
  const end = start + length
  if (end > writer.bytes.length) {
    const grown = new Uint8Array(Math.max(end, writer.bytes.length * 2))
    grown.set(writer.bytes)
    writer.bytes = grown
  }
  writer.offset = end
  return start
}

/** Returns the written bytes without a copy. */
export function written(writer: Writer): Uint8Array {
  return writer.bytes.subarray(0, writer.offset)
}

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

export function setU32(bytes: Uint8Array, at: number, value: number): void {
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

/** Records where the value's bytes begin and end. Some ids are hashes of a part of a container. */
export function spanned<T>(schema: Schema<T>): Wrapping<T> {
  return {
    inner: schema,
    read: (reader) => {
      const start = reader.offset
      const value = schema.read(reader)
      reader.spans.push(start, reader.offset)
      return value
    },
    write: schema.write,
  }
}

/** Items after their number (u32). */
export function list<T>(item: Schema<T>): List<T> {
  const { read, write } = item
  return {
    item,
    read: (reader) => {
      const at = reader.offset
      const length = u32.read(reader)
      // Every item takes at least one byte. An impossible number of items must not cost memory or time.
      if (length > reader.bytes.length - reader.offset) throw new ReadFailure(`a list of ${length} does not fit`, at)
      const items: T[] = []
      try {
        for (let i = 0; i < length; i++) items.push(read(reader))
      } catch (cause) {
        throw located(cause, items.length)
      }
      return items
    },
    write: (writer, value) => {
      u32.write(writer, value.length)
      for (const each of value) write(writer, each)
    },
  }
}

export type Fields = { readonly [field: string]: Schema<any> }
type StructValue<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }
type Tagged<N extends string, F extends Fields> = { readonly type: N } & StructValue<F>

type OptionalValue<O extends Fields> = { readonly [K in keyof O]: ValueOf<O[K]> | null }

/** Fields in order. `tagged` reads and writes the same bytes, and its value has a `type` for use in a union. */
export type Struct<N extends string, F extends Fields, O extends Fields = Record<never, never>> = Schema<
  StructValue<F> & OptionalValue<O>
> & {
  readonly type: N
  readonly fields: F
  /** Fields that forks have appended. If one is null, all later ones are null, too. */
  readonly optional: O
  readonly tagged: Schema<Tagged<N, F> & OptionalValue<O>>
}

/**
 * `type` is the name of the type in the node's source. If that type embeds another struct, the fields of the other one are listed:
 * `...base`.
 */
export function struct<const N extends string, F extends Fields>(type: N, fields: F): Struct<N, F> {
  return framedStruct(type, fields, {}, { reading: (read) => read as Schema<any>['read'], writing: (write) => write })
}

/** What is around the fields of a struct. `end` is where optional fields stop. */
type Frame = {
  readonly reading: (fields: (reader: Reader, end: number) => any) => Schema<any>['read']
  readonly writing: (fields: Schema<any>['write']) => Schema<any>['write']
}

/** Like `struct`, for fields within a frame. The `optional` ones are last; if one is null, all later ones are null, too. */
export function framedStruct<N extends string, F extends Fields, O extends Fields>(
  type: N,
  fields: F,
  optional: O,
  { reading, writing }: Frame,
) {
  const entries = Object.entries({ ...fields, ...optional })
  const [names, reads] = [entries.map(([name]) => name), entries.map(([, { read }]) => read)]
  const required = Object.keys(fields).length
  const reader = (type: string | null) => reading(fieldReader({ type, names, reads, required, failure: located }))
  const write = writing((writer, value) => {
    for (const [position, [name, schema]] of entries.entries()) {
      if (position >= required && value[name] === null) return
      schema.write(writer, value[name])
    }
  })
  return { type, fields, optional, read: reader(null), write, tagged: { read: reader(type), write } }
}

type Variant = { readonly type: string; readonly tagged: Schema<any> }
type Variants = { readonly [typeId: number]: Variant }
type TaggedValue<V> = V extends { readonly tagged: infer S } ? ValueOf<S> : never

type Union<V extends Variants> = Schema<TaggedValue<V[keyof V]>> & { readonly variants: V }

/** One of several structs after its type id (u32). `type` of the value is the name of the struct. Errors use `what`. */
export function union<V extends Variants>(what: string, variants: V): Union<V> {
  return choice(what, 'type', u32, variants)
}

/** One of several structs after its codec version (u16), for types with different fields in each version. */
export function versions<V extends Variants>(what: string, variants: V): Union<V> {
  return choice(what, 'version', u16, variants)
}

function choice<V extends Variants>(what: string, key: string, number: Schema<number>, variants: V): Union<V> {
  const byId: (Variant | undefined)[] = []
  const idOf = new Map<string, number>()
  for (const [id, variant] of Object.entries<Variant>(variants)) {
    byId[Number(id)] = variant
    idOf.set(variant.type, Number(id))
  }
  return {
    variants,
    read: (reader) => {
      const at = reader.offset
      const id = number.read(reader)
      const variant = byId[id]
      if (variant === undefined) throw new ReadFailure(`${what} of unknown ${key} ${id}`, at)
      return variant.tagged.read(reader)
    },
    write: (writer, value) => {
      const { type } = value as { type: string }
      const id = idOf.get(type)
      if (id === undefined) throw new RangeError(`${what} of unknown type ${type}`)
      number.write(writer, id)
      byId[id]!.tagged.write(writer, value)
    },
  }
}

/** A value after its codec version (u16). Every value that is not a part of another one begins so. */
export function versioned<T>(schema: Schema<T>): Wrapping<T> {
  return {
    inner: schema,
    read: (reader) => {
      const at = reader.offset
      const found = u16.read(reader)
      if (found !== 0) throw new ReadFailure(`codec version ${found}, not 0`, at)
      return schema.read(reader)
    },
    write: (writer, value) => {
      u16.write(writer, 0)
      schema.write(writer, value)
    },
  }
}

type Spanned<T> = {
  readonly value: T
  /** Start and end of each value of a `spanned` schema, in the order in which they were read. */
  readonly spans: readonly number[]
}

function readAll<T>(schema: Schema<T>, bytes: Uint8Array): Spanned<T> {
  const reader = createReader(bytes)
  const value = schema.read(reader)
  const left = bytes.length - reader.offset
  if (left > 0) throw new ReadFailure(`${left} bytes are left over`, reader.offset)
  return { value, spans: reader.spans }
}

/**
 * Returns the value of all of `bytes`. Byte values are views on `bytes`. Throws `DecodeError` with the facts `path` and `offset` if the
 * bytes do not match the schema to the last byte. `path` is the path of the whole value.
 */
export function decodeExactly<T>(schema: Schema<T>, bytes: Uint8Array, path: string): T {
  return decodeWithSpans(schema, bytes, path).value
}

/** Like `decodeExactly`, and also returns the spans that `spanned` schemas read. */
export function decodeWithSpans<T>(schema: Schema<T>, bytes: Uint8Array, path: string): Spanned<T> {
  try {
    return readAll(schema, bytes)
  } catch (cause) {
    if (!(cause instanceof ReadFailure)) throw cause
    const segments = cause.path.map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${segment}`))
    const where = path + segments.join('')
    throw new DecodeError(`Cannot decode ${where} at byte ${cause.offset}: ${cause.message}.`, {
      details: { path: where, offset: cause.offset },
      hint: 'The bytes are damaged or of a format that this version does not know: compare with another node, or update chainlake.',
    })
  }
}

/** Like `decodeWithSpans`, but returns null if the bytes do not match the schema. */
export function decodeOrNull<T>(schema: Schema<T>, bytes: Uint8Array): Spanned<T> | null {
  try {
    return readAll(schema, bytes)
  } catch (cause) {
    if (cause instanceof ReadFailure) return null
    throw cause
  }
}

/** Returns the bytes of a value. Throws `RangeError` if the schema cannot hold the value. */
export function encode<T>(schema: Schema<T>, value: T): Uint8Array {
  const writer = createWriter()
  schema.write(writer, value)
  return written(writer)
}
