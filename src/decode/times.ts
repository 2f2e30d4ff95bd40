const lastSecond = 253_402_300_799n
const firstSecond = -62_135_596_800n

/** Unix seconds as microseconds; null outside of the years 1 to 9999, which no column of times can hold. */
export function timeOf(seconds: bigint): bigint | null {
  return seconds > lastSecond || seconds < firstSecond ? null : seconds * 1_000_000n
}
