/**
 * The longest pause that a source may dictate at once, in milliseconds: a day. A number in a header can be wrong by years, and limits change, so
 * the source is asked again after that.
 */
export const longestPauseMs = 24 * 60 * 60_000

/** A timer that is set for longer than this (24.8 days) ends at once. */
export const longestTimerMs = 2 ** 31 - 1

/** Waits for `milliseconds`, however many; rejects with the reason of `signal` as soon as it is aborted. */
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
