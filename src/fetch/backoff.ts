import { longestPauseMs } from '../lib/pause.ts'

export type Backoff = {
  /** Upper bound of the wait after the first failure; doubles with every further one. */
  readonly baseMs: number
  /** Upper bound of any wait of ours. */
  readonly maxMs: number
}

/** Exponential backoff with full jitter: a random wait up to a bound that doubles. `failures` counts from 1. */
export function backoffMs(failures: number, { baseMs, maxMs }: Backoff, random: () => number): number {
  return random() * Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 40))
}

/**
 * The wait that a `Retry-After` header asks for, in milliseconds from `nowMs`: a count of seconds or an HTTP date
 * (RFC 9110, 10.2.3), a day at most. Undefined without a readable one; 0 for a date that is past.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(longestPauseMs, Number(text) * 1000)
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined
  // The oldest of the three date forms names no zone; all of them are GMT.
  const date = Date.parse(/GMT$|UTC$|[+-]\d{4}$/.test(text) ? text : `${text} GMT`)
  return Number.isNaN(date) ? undefined : Math.min(longestPauseMs, Math.max(0, date - nowMs))
}
