import { longestTimerMs } from '../lib/pause.ts'

/** Deadlines of one length. */
export type Deadlines = {
  /**
   * Calls `onExpired` with that length, in milliseconds, when it has passed, unless the returned function is called before. Time in which
   * this thread computed and could not read is given back.
   */
  start(onExpired: (milliseconds: number) => void): () => void
}

type Deadline = { atMs: number; readonly onExpired: (milliseconds: number) => void }

/** A timer that is later than this was held up by a computation of this thread. */
const usualDelayMs = 100

/** One timer serves all deadlines: they end in the order in which they began. A timer for each request would cost more than the rest of it. */
export function createDeadlines(milliseconds: number): Deadlines {
  const running = new Set<Deadline>()
  let isArmed = false

  function arm(): void {
    const [first] = running
    if (isArmed || first === undefined) return
    isArmed = true
    const dueMs = first.atMs
    // A process that waits for nothing else may end.
    setTimeout(() => expire(dueMs), Math.min(longestTimerMs, dueMs - performance.now())).unref()
  }

  function expire(dueMs: number): void {
    isArmed = false
    const now = performance.now()
    const heldUpMs = now - dueMs
    // While this thread computed, it could not read what arrived. It gets that time again to do so.
    if (heldUpMs > usualDelayMs) for (const deadline of running) deadline.atMs = Math.max(deadline.atMs, now + heldUpMs)
    for (const deadline of running) {
      if (deadline.atMs > now) break
      running.delete(deadline)
      deadline.onExpired(milliseconds)
    }
    arm()
  }

  return {
    start(onExpired) {
      const deadline = { atMs: performance.now() + milliseconds, onExpired }
      running.add(deadline)
      arm()
      return () => running.delete(deadline)
    },
  }
}
