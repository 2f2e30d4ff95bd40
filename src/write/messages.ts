import type { ColumnEncoding } from '../define/index.ts'

/** How the thread writes the columns of a part. */
export type PartLayout = {
  readonly rowGroupRows: number
  /** Top-level columns that are leaves. Nested leaves use the defaults of the file, because parquet-wasm cannot name them. */
  readonly columns: readonly { readonly name: string; readonly encoding: ColumnEncoding }[]
}

/** Messages from the main thread. A file descriptor is valid in every thread of the process; the main thread closes it. */
export type ToThread =
  | { readonly kind: 'open'; readonly part: number; readonly descriptor: number; readonly layout: PartLayout }
  | { readonly kind: 'write'; readonly part: number; readonly ipc: Uint8Array<ArrayBuffer> }
  /** Write the remaining batches and answer `closed`. */
  | { readonly kind: 'close'; readonly part: number }
  /** Drop the remaining batches and answer `closed`. */
  | { readonly kind: 'abort'; readonly part: number }

/** Messages from the writing thread. */
export type FromThread =
  /** A batch is encoded and its memory is free. `queued`: bytes of the batch; `bytes`: size of the file so far. */
  | {
      readonly kind: 'consumed'
      readonly part: number
      readonly queued: number
      readonly bytes: number
      readonly buffer: ArrayBuffer
    }
  /**
   * The file is complete, or dropped, and the thread does not use its descriptor any more. `encoderBytes`: bytes of memory that the encoder
   * has.
   */
  | {
      readonly kind: 'closed'
      readonly part: number
      readonly rows: number
      readonly bytes: number
      /** SHA-256 of all bytes of the file, in hexadecimal. */
      readonly sha256: string
      readonly encoderBytes: number
    }
  /** The thread cannot complete the part. `closed` still follows after a message to end it. */
  | { readonly kind: 'failed'; readonly part: number; readonly message: string; readonly code: string | null }
