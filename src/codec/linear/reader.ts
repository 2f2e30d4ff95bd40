/** A place in bytes; functions of `scalars.ts` and `bytes.ts` move it on. */
export type Reader = {
  readonly bytes: Uint8Array
  /** Where the bytes lie: asked of them once, since each answer takes as long as two views. */
  readonly buffer: ArrayBufferLike
  readonly origin: number
  offset: number
  /** Starts and ends of what `spanned` schemas have read, in order. */
  readonly spans: number[]
}

export function createReader(bytes: Uint8Array): Reader {
  return { bytes, buffer: bytes.buffer, origin: bytes.byteOffset, offset: 0, spans: [] }
}

/**
 * Bytes that are not what a schema says: thrown by `read`, turned into a `DecodeError` by `decodeExactly`. Structs, lists
 * and unions that it passes on its way out put their names in front of the path, so reading itself keeps no path.
 */
export class ReadFailure extends Error {
  readonly offset: number
  readonly path: (string | number)[] = []

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/** Adds the name of a field or the position in a list to a failure that passes. */
export function located(cause: unknown, segment: string | number): unknown {
  if (cause instanceof ReadFailure) cause.path.unshift(segment)
  return cause
}

/** Moves over `length` bytes and returns where they began. */
export function advance(reader: Reader, length: number): number {
  const start = reader.offset
  const left = reader.bytes.length - start
  if (length > left) throw new ReadFailure(`${length} bytes expected, ${left} left`, start)
  reader.offset = start + length
  return start
}
