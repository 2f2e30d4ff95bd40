const lastSecond = 253_402_300_799n
const firstSecond = -62_135_596_800n

/** Returns Unix seconds as microseconds; null outside of the years 1 to 9999, the range of time columns. */
export function timeOf(seconds: bigint): bigint | null {
  return seconds > lastSecond || seconds < firstSecond ? null : seconds * 1_000_000n
}

/** Returns Unix milliseconds as microseconds; null outside of the years 1 to 9999. */
export function timeOfMilliseconds(milliseconds: bigint): bigint | null {
  return timeOf(milliseconds / 1000n) === null ? null : milliseconds * 1000n
}
