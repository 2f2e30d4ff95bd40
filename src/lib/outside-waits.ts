let underWay = 0

/**
 * Counts a request to a source or a store, or for the lake that another process holds, as under way until it has ended, with all that it waits
 * for: tries, limits, pauses that a source asks for. Each has an end of its own, so whoever waits for one is not stuck.
 */
export async function waitingOutside<T>(request: () => Promise<T>): Promise<T> {
  underWay++
  try {
    return await request()
  } finally {
    underWay--
  }
}

/** Whether this process waits for a source, a store or another holder of the lake now. */
export function isWaitingOutside(): boolean {
  return underWay > 0
}
