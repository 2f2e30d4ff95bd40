import type { Data } from 'apache-arrow'

/** Bytes that the open columns of one partition hold, counted as they grow. */
export type ByteCount = { bytes: number }

export type Nulls = { readonly nullCount: number; readonly nullBitmap: Uint8Array | null }

/** The values of one column in typed arrays, without the knowledge which of them are null. */
export type Values = {
  /** Throws `SchemaError` for a value that the column does not hold. */
  append(value: unknown): void
  /** Takes a place without a value. */
  pad(): void
  /** Arrow data over the memory of the column: to be copied before the next `append`. */
  data(length: number, nulls: Nulls): Data
  /** Forgets the values and keeps the memory. */
  clear(): void
}

/** Rows that a fresh column has room for; it doubles from there. */
export const firstCapacity = 256
