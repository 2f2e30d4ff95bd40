/**
 * Buffers that are reused. The garbage collector of a thread would free them only after 64 MiB have accumulated, and the freed memory would
 * stay in the process as fragments.
 */
export type BufferPool = {
  /** A buffer of at least this many bytes; it holds old contents. */
  take(bytes: number): ArrayBuffer
  /** Gives a buffer back; it must not be used any more. */
  give(buffer: ArrayBuffer): void
}

/** Buffers differ a little in what they have to hold: one is made large enough for those that come next. */
const step = 256 * 1024

/** Keeps `count` buffers at most, none of them larger than `bytes`. */
export function createBufferPool({ count, bytes: largest }: { count: number; bytes: number }): BufferPool {
  const spare: ArrayBuffer[] = []
  return {
    take(bytes) {
      let best = -1
      for (const [place, { byteLength }] of spare.entries())
        if (byteLength >= bytes && (best === -1 || byteLength < spare[best]!.byteLength)) best = place
      const [known] = best === -1 ? [] : spare.splice(best, 1)
      return known ?? new ArrayBuffer(Math.ceil(Math.max(bytes, 1) / step) * step)
    },
    give(buffer) {
      if (buffer.byteLength > largest) return
      spare.push(buffer)
      // What lies longest has been of no use.
      if (spare.length > count) spare.shift()
    },
  }
}
