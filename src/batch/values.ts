import type { Data } from 'apache-arrow'

/** Bytes that the open columns of one partition hold, counted as they grow. */
export type ByteCount = { bytes: number }

type Nulls = { readonly nullCount: number; readonly nullBitmap: Uint8Array | null }

/**
 * The values of one column in typed arrays, without the information which of them are null. They come in blocks, so that the cost of a call
 * to a column is paid once for dozens of values.
 */
export type Values = {
  /**
   * Takes the first `count` values of a block, without changing the block. Null takes a position without a value. Throws `SchemaError` for
   * a value that the column cannot hold.
   */
  append(block: readonly unknown[], count: number): void
  /** Adds `count` positions without values. */
  pad(count: number): void
  /** Arrow data over the memory of the column. The caller must copy it before the next `append`. */
  data(length: number, nulls: Nulls): Data
  /** Forgets the values and keeps the memory. */
  clear(): void
}

/** A column under construction: its values, and the positions where they are null. */
export type ColumnBuilder = {
  /**
   * Takes the first `count` values of a block. Throws `SchemaError` for a value that the column cannot hold, including null in a column
   * that is not nullable.
   */
  append(block: readonly unknown[], count: number): void
  /** Adds `count` positions under structs that are null. */
  pad(count: number): void
  length(): number
  /** Arrow data over the memory of the column. The caller must copy it before the next `append`. */
  data(): Data
  /** Forgets the values and keeps the memory. */
  clear(): void
}

/** Rows that a new column has room for. The capacity doubles when it is full. */
const firstCapacity = 256

type Growing =
  | BigInt64Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>

/** The same array, or a copy of its contents with room for at least `length` elements. */
export function withRoom<T extends Growing>(values: T, length: number): T {
  if (length <= values.length) return values
  const size = Math.max(
    2 * values.byteLength,
    firstCapacity * values.BYTES_PER_ELEMENT,
    length * values.BYTES_PER_ELEMENT,
  )
  const wider = new Uint8Array(size)
  wider.set(new Uint8Array(values.buffer))
  return new (values.constructor as new (buffer: ArrayBuffer) => T)(wider.buffer)
}
