/** A position in bytes. Functions of `scalars.ts` and `bytes.ts` advance it. */
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
