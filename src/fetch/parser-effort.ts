import { setTieringBudget, usualTieringBudget } from '../lib/tiering-budget.ts'

/**
 * undici parses HTTP with a WebAssembly module, which it instantiates with the first connection. After a few answers V8 optimizes one large
 * function of it, which takes twice as long as Node takes to start. The optimized function saves one microsecond per answer.
 */
let isSpared = false

/**
 * Keeps V8 from optimizing the parser in this thread. Only for a process of our own: until the first answer arrives, no other WebAssembly
 * module that is instantiated is optimized either.
 */
export function spareParser(): void {
  isSpared = true
}

const never = 2 ** 30

/** Runs an attempt; the first one instantiates the parser. */
export async function withParser<T>(attempt: () => Promise<T>): Promise<T> {
  if (!isSpared) return attempt()
  isSpared = false
  setTieringBudget(never)
  try {
    return await attempt()
  } catch (error) {
    // The connection may have failed before the parser was instantiated.
    isSpared = true
    throw error
  } finally {
    setTieringBudget(usualTieringBudget)
  }
}
