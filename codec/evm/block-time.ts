const lastSecond = 253_402_300_799n
/** Seconds of 2009, when the first chain began, and of 2262, the last year in nanoseconds of 63 bits. */
const [firstLikely, lastLikely] = [1_230_768_000n, 9_223_372_036n]
const parts = [1000n, 1_000_000n, 1_000_000_000n] as const

/**
 * Returns the timestamp of a header in microseconds since 1970 UTC; null after the year 9999. Most chains write seconds. As seconds, what others
 * write is thousands of years away, so it is read as the milliseconds, microseconds or nanoseconds that it must be.
 */
export function timeOfTimestamp(timestamp: bigint): bigint | null {
  if (timestamp <= lastSecond) return timestamp * 1_000_000n
  for (const perSecond of parts) {
    const seconds = timestamp / perSecond
    if (seconds >= firstLikely && seconds <= lastLikely) return (timestamp * 1_000_000n) / perSecond
  }
  return null
}
