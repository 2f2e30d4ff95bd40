import { longestPauseMs } from '../lib/pause.ts'

export type Backoff = {
  /** Upper bound of the wait after the first failure; it doubles with every further failure. */
  readonly baseMs: number
  /** Upper bound of every wait. */
  readonly maxMs: number
}

/** Exponential backoff with full jitter: a random wait up to a bound that doubles. `failures` counts from 1. */
export function backoffMs(failures: number, { baseMs, maxMs }: Backoff, random: () => number): number {
  return random() * Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 40))
}

/**
 * The wait that a `Retry-After` header demands, in milliseconds from `nowMs`, at most one day. The header holds a number of seconds or an
 * HTTP date (RFC 9110, 10.2.3). Undefined if the header is missing or unreadable; 0 for a date in the past.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(longestPauseMs, Number(text) * 1000)
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined
  // The oldest of the three date formats names no time zone; all three are GMT.
  const date = Date.parse(/GMT$|UTC$|[+-]\d{4}$/.test(text) ? text : `${text} GMT`)
  return Number.isNaN(date) ? undefined : Math.min(longestPauseMs, Math.max(0, date - nowMs))
}
