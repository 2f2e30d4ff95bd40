import { DecodeError } from '../../errors.ts'
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

/** `transaction.inputs[0].amount` of names and positions. */
function pathText(path: string, segments: readonly (string | number)[]): string {
  return segments.reduce<string>(
    (text, segment) => text + (typeof segment === 'number' ? `[${segment}]` : `.${segment}`),
    path,
  )
}

/** A `ReadFailure` as a `DecodeError` with path and offset; anything else as it is. */
export function decodeError(cause: unknown, path: string): unknown {
  if (!(cause instanceof ReadFailure)) return cause
  const where = pathText(path, cause.path)
  return new DecodeError(`Cannot decode ${where} at byte ${cause.offset}: ${cause.message}.`, {
    details: { path: where, offset: cause.offset },
    hint: 'The bytes are damaged or of a format that this version does not know: compare with another node, or update chainlake.',
  })
}

/**
 * The value of all of `bytes`; `path` names them in errors. Byte values are views on `bytes`.
 * Throws `DecodeError` with the facts `path` and `offset` when they are not what the schema says, to the last byte.
 */
export function decodeExactly<T>(schema: Schema<T>, bytes: Uint8Array, path: string): T {
  return decodeWithSpans(schema, bytes, path).value
}

/** As `decodeExactly`, with the places of what `spanned` schemas read. */
export function decodeWithSpans<T>(schema: Schema<T>, bytes: Uint8Array, path: string): Spanned<T> {
  try {
    return readAll(schema, bytes)
  } catch (cause) {
    throw decodeError(cause, path)
  }
}

/** As `decodeWithSpans`, or null when the bytes are not what the schema says. */
export function decodeOrNull<T>(schema: Schema<T>, bytes: Uint8Array): Spanned<T> | null {
  try {
    return readAll(schema, bytes)
  } catch (cause) {
    if (cause instanceof ReadFailure) return null
    throw cause
  }
}

/** The bytes of a value. Throws `RangeError` for what the schema cannot hold. */
export function encode<T>(schema: Schema<T>, value: T): Uint8Array {
  const writer = createWriter()
  schema.write(writer, value)
  return written(writer)
}
