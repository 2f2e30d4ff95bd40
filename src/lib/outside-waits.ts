let underWay = 0

/**
 * Counts a request as under way until it has ended: a request to a source or a store, or for the lake while another process holds it. The
 * request includes its retries, rate limits and the pauses that a source dictates. Each of these ends by itself, so a caller that waits for
 * one is not stuck.
 */
export async function waitingOutside<T>(request: () => Promise<T>): Promise<T> {
  underWay++
  try {
    return await request()
  } finally {
    underWay--
  }
}

/** Whether this process is waiting for a source, a store or another holder of the lake. */
export function isWaitingOutside(): boolean {
  return underWay > 0
}
