/** Ends what takes too long. All of it may take equally long. */
export type Deadlines = {
  /** Calls `onExpired` when the time is over, in milliseconds, unless the returned function is called before. */
  start(onExpired: (milliseconds: number) => void): () => void
}

type Deadline = { readonly atMs: number; readonly onExpired: (milliseconds: number) => void }

/** One timer serves all deadlines: they end in the order in which they began. A timer for each request would cost more than the rest of it. */
export function createDeadlines(milliseconds: number): Deadlines {
  const running = new Set<Deadline>()
  let isArmed = false

  function arm(): void {
    const [first] = running
    if (isArmed || first === undefined) return
    isArmed = true
    // A process that waits for nothing else may end.
    setTimeout(expire, first.atMs - performance.now()).unref()
  }

  function expire(): void {
    isArmed = false
    const now = performance.now()
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
