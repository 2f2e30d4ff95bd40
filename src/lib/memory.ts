import { setFlagsFromString } from 'node:v8'

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

/**
 * The statement that makes DuckDB return free memory of the whole process to the system: setting the memory limit, to what it is, calls the C
 * library to do that. Short-lived threads, large buffers and queries over thousands of windows otherwise fragment the heap (measured: up to
 * 200 MiB). It takes about 15 ms.
 */
export function freeMemory(memoryLimit: string): string {
  return `SET memory_limit = '${memoryLimit}'`
}

/** Without this limit a thread's nursery would grow to 32 MiB. That saves no time where objects live as long as a batch of them. */
export const threadLimits = { maxYoungGenerationSizeMb: 6 } as const

/** V8 compiles a WebAssembly function again, with optimizations, after about this many bytes of its code have run. This is V8's default. */
export const usualTieringBudget = 1_800_000

/** Sets the budget for modules that any thread compiles from now on. A module keeps the budget of the time when it was compiled. */
export function setTieringBudget(budget: number): void {
  setFlagsFromString(`--wasm-tiering-budget=${budget}`)
}

/**
 * Whether V8 may compile functions again, with optimizations, of modules that any thread compiles from now on. A module keeps this. The
 * largest budget is not the same: a parser that jumps within a large function spends it with some hundred answers.
 */
export function setTierUp(isAllowed: boolean): void {
  for (const flag of ['wasm-dynamic-tiering', 'wasm-tier-up']) setFlagsFromString(`--${isAllowed ? '' : 'no-'}${flag}`)
}
