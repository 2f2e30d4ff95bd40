/** Counts the bytes that wait for the writing thread. */
export type WriteQueue = {
  add(bytes: number): void
  remove(bytes: number): void
  /** Resolves when fewer bytes than the limit are queued. */
  room(): Promise<void>
}

export function createWriteQueue(limit: number): WriteQueue {
  let queued = 0
  let waiting: (() => void)[] = []
  return {
    add(bytes) {
      queued += bytes
    },
    remove(bytes) {
      queued -= bytes
      if (queued >= limit) return
      for (const resolve of waiting) resolve()
      waiting = []
    },
    room: () => (queued < limit ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  }
}
