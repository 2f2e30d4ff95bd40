import type { ColumnEncoding } from '../define/index.ts'

/** How the thread writes the columns of a part. */
export type PartLayout = {
  readonly rowGroupRows: number
  /** Top-level columns that are leaves. Nested leaves take the defaults of the file: parquet-wasm cannot name them. */
  readonly columns: readonly { readonly name: string; readonly encoding: ColumnEncoding }[]
}

/** From the main thread. A file descriptor is valid in every thread of the process; the main thread closes it. */
export type ToThread =
  | { readonly kind: 'open'; readonly part: number; readonly descriptor: number; readonly layout: PartLayout }
  | { readonly kind: 'write'; readonly part: number; readonly ipc: Uint8Array<ArrayBuffer> }
  /** Write what is left and answer `closed`. */
  | { readonly kind: 'close'; readonly part: number }
  /** Drop what is left and answer `closed`. */
  | { readonly kind: 'abort'; readonly part: number }

/** From the thread. */
export type FromThread =
  /** A batch is encoded, and its memory free; `bytes` is what the file has so far. */
  | {
      readonly kind: 'consumed'
      readonly part: number
      readonly queued: number
      readonly bytes: number
      readonly buffer: ArrayBuffer
    }
  /** The file is whole, or dropped; the thread does not touch its descriptor any more. `encoderBytes`: memory it has. */
  | {
      readonly kind: 'closed'
      readonly part: number
      readonly rows: number
      readonly bytes: number
      /** Of all bytes of the file, hexadecimal. */
      readonly sha256: string
      readonly encoderBytes: number
    }
  /** The part cannot be completed; `closed` still follows after a message to end. */
  | { readonly kind: 'failed'; readonly part: number; readonly message: string; readonly code: string | null }
