/** Services expire tokens after 24 hours (specification 000, part 8). Older tokens than this are not used. */
const oldestMs = 23 * 3_600_000

/** Whether a page token from the time `atMs` may still be used. A token from the future is not used: the clock was set back, and its age is unknown. */
export function isYoung(atMs: number | null, nowMs: number): boolean {
  return atMs !== null && atMs <= nowMs && nowMs - atMs < oldestMs
}
