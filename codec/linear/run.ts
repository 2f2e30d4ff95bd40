import { DecodeError } from '../errors.ts'
import { createReader, ReadFailure } from './reader.ts'
import type { Schema } from './schema.ts'
import { createWriter, written } from './writer.ts'

export type Spanned<T> = {
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

/** Returns a path such as `transaction.inputs[0].amount` from names and positions. */
function pathText(path: string, segments: readonly (string | number)[]): string {
  return segments.reduce<string>(
    (text, segment) => text + (typeof segment === 'number' ? `[${segment}]` : `.${segment}`),
    path,
  )
}

/** Turns a `ReadFailure` into a `DecodeError` with path and offset. Returns any other cause unchanged. */
function decodeError(cause: unknown, path: string): unknown {
  if (!(cause instanceof ReadFailure)) return cause
  const where = pathText(path, cause.path)
  return new DecodeError(`Cannot decode ${where} at byte ${cause.offset}: ${cause.message}.`, {
    details: { path: where, offset: cause.offset },
    hint: 'The bytes are damaged or of a format that this version does not know: compare with another node, or update chainlake.',
  })
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
    throw decodeError(cause, path)
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
