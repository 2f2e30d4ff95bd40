/** Services forget tokens after 24 hours (specification 000, part 8): older ones than this are not used. */
const oldestMs = 23 * 3_600_000

/** Whether a page token that was given at `atMs` may still be used. One of the future is not: the clock went back, and nobody knows its age. */
export function isYoung(atMs: number | null, nowMs: number): boolean {
  return atMs !== null && atMs <= nowMs && nowMs - atMs < oldestMs
}
