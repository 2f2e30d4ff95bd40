import { isWaitingOutside } from '../../lib/outside-waits.ts'

/** Below this share of CPU time, over all threads, a process counts as idle: waiting and heartbeats take less. */
const leastBusy = 0.02

/**
 * Returns a function for the milliseconds since this process last made progress. It makes progress while it computes, and while it waits for
 * a source or a store, including waits that these request. Any other waiting may never end.
 */
export function createProgress(): () => number {
  let [seenMs, usedUs] = [performance.now(), cpuUs()]
  let sinceMs = seenMs
  return () => {
    const [nowMs, nowUs] = [performance.now(), cpuUs()]
    const isBusy = (nowUs - usedUs) / 1000 > leastBusy * (nowMs - seenMs)
    if (isBusy || isWaitingOutside()) sinceMs = nowMs
    ;[seenMs, usedUs] = [nowMs, nowUs]
    return nowMs - sinceMs
  }
}

function cpuUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
