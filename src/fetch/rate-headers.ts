import { longestPauseMs } from '../lib/pause.ts'

/** What the headers of an answer say about a limit, in the units of the service. */
export type RateHeaders = {
  /** Units that a window grants. */
  readonly limit: number | null
  /** Length of the window; null when no header names it. */
  readonly windowMs: number | null
  /** Units left in the window. */
  readonly remaining: number | null
  /** Milliseconds until the service grants units again, at most one day. */
  readonly resetMs: number | null
}

/** A limit per hour or day is a budget, not a rate: a run does not slow down to make it last. */
export const longestWindowMs = 600_000

/** Larger numbers are Unix seconds instead of seconds from now; still larger ones are Unix milliseconds. */
const surelyADate = 1_000_000_000
const surelyMilliseconds = 100_000_000_000

/**
 * Reads `ratelimit-limit`, `-remaining`, `-reset` and `-policy`, also with the prefix `x-`. Values are numbers or items such as `8000;w=60`
 * and `"minute";q=8000;w=60`. An unreadable value is null.
 */
export function readRateHeaders(headers: Readonly<Record<string, string>>, nowMs: number): RateHeaders {
  const header = (name: string) => headers[`ratelimit-${name}`] ?? headers[`x-ratelimit-${name}`] ?? ''
  const limits = itemsOf(header('limit'))
  const policies = [...itemsOf(header('policy')), ...limits].filter(({ windowMs }) => windowMs !== null)
  const limit = limits[0]?.quota ?? shortest(policies)?.quota ?? null
  const windowMs = policies.find(({ quota }) => quota === limit)?.windowMs ?? null
  const reset = numberOf(header('reset'))
  const usable = limit !== null && limit > 0 && (windowMs ?? 0) <= longestWindowMs
  return {
    limit: usable ? limit : null,
    windowMs: usable ? windowMs : null,
    remaining: numberOf(header('remaining')),
    resetMs: reset === null ? null : Math.min(longestPauseMs, untilReset(reset, nowMs)),
  }
}

function untilReset(reset: number, nowMs: number): number {
  if (reset <= surelyADate) return reset * 1000
  return Math.max(0, (reset < surelyMilliseconds ? reset * 1000 : reset) - nowMs)
}

type Item = { readonly quota: number; readonly windowMs: number | null }

function itemsOf(text: string): Item[] {
  return text.split(',').flatMap((item) => {
    const quota = numberOf(/;\s*q=(\d+)/.exec(item)?.[1] ?? /^\s*(\d+)/.exec(item)?.[1] ?? '')
    const seconds = numberOf(/;\s*w=(\d+)/.exec(item)?.[1] ?? '')
    return quota === null ? [] : [{ quota, windowMs: seconds === null || seconds === 0 ? null : seconds * 1000 }]
  })
}

function shortest(items: readonly Item[]): Item | undefined {
  return [...items].sort((a, b) => (a.windowMs ?? 0) - (b.windowMs ?? 0))[0]
}

function numberOf(text: string): number | null {
  return /^\s*\d+(\.\d+)?\s*(;|$)/.test(text) ? Number.parseFloat(text) : null
}
