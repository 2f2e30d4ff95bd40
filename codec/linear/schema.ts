import type { Reader } from './reader.ts'
import type { Writer } from './writer.ts'

/** Reads and writes the bytes of a type. `read` throws `ReadFailure`, `write` throws `RangeError`. */
export type Schema<T> = {
  readonly read: (reader: Reader) => T
  readonly write: (writer: Writer, value: T) => void
}

/** The value that a schema reads and writes. */
export type ValueOf<S> = S extends Schema<infer T> ? T : never

/** Schemas that contain others expose them, so that tests and tools can walk them. */
export type Wrapping<T> = Schema<T> & { readonly inner: Schema<T> }
export type Fixed = Schema<Uint8Array> & { readonly length: number }
export type List<T> = Schema<readonly T[]> & { readonly item: Schema<T> }
