/** A buffer that grows. Functions of `scalars.ts` and `bytes.ts` write to it. */
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
