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

const duration =
  /(\d+(?:\.\d+)?)(?:\s*(ms|milliseconds?|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h)(?![a-z])|(?!\s*[a-z\d.]))/gi
const unitsMs: readonly [RegExp, number][] = [
  [/^m(s|illi)/i, 1],
  [/^m/i, 60_000],
  [/^h/i, 3_600_000],
]

/**
 * The wait that an error demands in words ("try again in 1.2s", "retry after 5") or in fields such as `backoff_seconds` and `try_again_in`, in
 * milliseconds, at most one day. Undefined if it names none.
 */
export function saidWaitMs(said: unknown): number | undefined {
  if (typeof said === 'string') return waitIn(/(?:again|retry|wait|back ?off)\D{0,24}(.*)/is.exec(said)?.[1])
  if (typeof said !== 'object' || said === null) return undefined
  for (const [name, value] of Object.entries(said)) {
    const isNamed = /again|retry|wait|back_?off/i.test(name)
    const unit = /ms$|milli/i.test(name) ? 'ms' : 's'
    const wait =
      isNamed && typeof value !== 'object'
        ? waitIn(/\d$/.test(`${value}`) ? `${value}${unit}` : `${value}`)
        : saidWaitMs(value)
    if (wait !== undefined) return wait
  }
  return undefined
}

/** The duration at the beginning of a text, such as `1.2 s`, `1m30s` or `5`, which are seconds. */
function waitIn(text = ''): number | undefined {
  const parts = /^((\d+(\.\d+)?)\s*[a-z]*\s*)+/i.exec(text)?.[0]
  if (parts === undefined) return undefined
  const waits = [...parts.matchAll(duration)].map(
    ([, amount, unit = 's']) => Number(amount) * (unitsMs.find(([name]) => name.test(unit))?.[1] ?? 1000),
  )
  return waits.length === 0
    ? undefined
    : Math.min(
        longestPauseMs,
        waits.reduce((sum, each) => sum + each, 0),
      )
}
