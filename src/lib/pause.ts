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
