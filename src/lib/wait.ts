/**
 * The longest pause that a source may dictate at once, in milliseconds: one day. A number in a header can be wrong by years, and limits
 * change, so the client sends another request after that.
 */
export const longestPauseMs = 24 * 60 * 60_000

/** The longest time of one timer, in milliseconds (24.8 days). Node ends a longer timer at once. */
export const longestTimerMs = 2 ** 31 - 1

/** Waits for `milliseconds`, without an upper limit. Rejects with the reason of `signal` as soon as it is aborted. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let restMs = milliseconds
  for (; restMs > longestTimerMs; restMs -= longestTimerMs) await timer(longestTimerMs, signal)
  await timer(restMs, signal)
}

function timer(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    const onAbort = () => {
      clearTimeout(timeout)
      reject(signal?.reason)
    }
    const timeout = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** A signal that aborts the given number of milliseconds after another one, with the same reason. */
export function abortLater(signal: AbortSignal, milliseconds: number): AbortSignal {
  const controller = new AbortController()
  const begin = (): void => {
    setTimeout(() => controller.abort(signal.reason), milliseconds).unref()
  }
  if (signal.aborted) begin()
  else signal.addEventListener('abort', begin, { once: true })
  return controller.signal
}

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
