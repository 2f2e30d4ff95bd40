/**
 * Buffers that are reused. Otherwise the garbage collector of a thread would free them only after 64 MiB have accumulated, and the freed
 * memory would stay in the process as fragments.
 */
export type BufferPool = {
  /** A buffer of at least this many bytes, with its old contents. */
  take(bytes: number): ArrayBuffer
  /** Returns a buffer to the pool. The caller must not use it any more. */
  give(buffer: ArrayBuffer): void
}

/**
 * Buffer sizes are multiples of this many bytes. Contents differ a little in size, and the rounding makes a buffer fit the next ones too.
 */
const step = 256 * 1024

/** Keeps at most `count` buffers of at most `bytes` bytes each. */
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
      if (buffer.byteLength === 0 || buffer.byteLength > largest) return
      spare.push(buffer)
      // Drop the buffer that was not used for the longest time.
      if (spare.length > count) spare.shift()
    },
  }
}
