import { isWaitingOutside } from '../../lib/outside-waits.ts'

/** Whoever computes less than this part of the time, on all threads together, computes nothing: what only waits and beats takes less. */
const leastBusy = 0.02

/**
 * Tells for how long this process has made no progress, in milliseconds. It makes some while it waits for a source or a store, also where
 * these dictate the wait, and while it computes. What is left is waiting for something that may never come.
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
