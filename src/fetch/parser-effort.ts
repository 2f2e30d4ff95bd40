import { setTieringBudget, usualTieringBudget } from '../lib/tiering-budget.ts'

/**
 * undici reads HTTP by a program in WebAssembly, made with the first connection. One function of it is so large that V8's optimizing
 * compiler takes as long for it as Node takes to start, twice, and begins after a few answers; it saves a microsecond an answer.
 */
let isSpared = false

/**
 * Leaves the parser as it is, in this thread. For a process of our own: until the first answer has come, no other program that is made
 * is optimized either.
 */
export function spareParser(): void {
  isSpared = true
}

const never = 2 ** 30

/** Runs an attempt that may be the first. */
export async function withParser<T>(attempt: () => Promise<T>): Promise<T> {
  if (!isSpared) return attempt()
  isSpared = false
  setTieringBudget(never)
  try {
    return await attempt()
  } catch (error) {
    // Perhaps there was no connection.
    isSpared = true
    throw error
  } finally {
    setTieringBudget(usualTieringBudget)
  }
}
