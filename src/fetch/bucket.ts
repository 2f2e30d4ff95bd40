import { retryAfterMs } from './backoff.ts'
import { type Closure, createPace } from './pace.ts'
import { type RateHeaders, readRateHeaders } from './rate-headers.ts'

/** Leave to send one request; handed back when it is answered or fails. */
export type Grant = { readonly units: number; readonly epoch: number }

/** What of an answer tells about a limit. */
export type LimitSigns = { readonly status: number; readonly headers: Readonly<Record<string, string>> }

export type BucketOptions = {
  /** Units that a window grants; null: not known. */
  readonly unitsPerWindow: number | null
  readonly windowMs: number
  /** Statuses that say "too many". */
  readonly refusals: readonly number[]
  /** Longest wait that a header can ask for. */
  readonly maxHoldMs: number
}

/** Time that is given: `now` is monotonous, `date` is that of the calendar; both in milliseconds. */
export type Instant = { readonly now: number; readonly date: number }

export type Bucket = {
  /** Leave to send a request of so many units now, or the milliseconds after which to ask again. */
  take(units: number, now: number): Grant | number
  settle(grant: Grant, answer: LimitSigns | null, at: Instant): void
}

/** Part of a window that may be sent at once after a rest. */
const burst = 0.02

/** A token bucket in compute units that fills at the learnt pace, and that is shut while the service refuses. */
export function createBucket(
  { unitsPerWindow, windowMs, refusals, maxHoldMs }: BucketOptions,
  startedAt: number,
): Bucket {
  const shortestHold = windowMs / 240
  const known = unitsPerWindow === null ? Number.POSITIVE_INFINITY : unitsPerWindow / windowMs
  const pace = createPace(windowMs, known, startedAt)
  /** Pace that spreads what a header says is left until it resets. */
  let spread = { rate: Number.POSITIVE_INFINITY, until: startedAt }
  let tokens = Number.isFinite(known) ? burst * known * windowMs : 0
  let filledAt = startedAt
  let underWay = 0
  /** Counts closures, so that what was sent before one does not open or lengthen it. */
  let epoch = 0
  let closure: Closure | null = null
  let holdUntil = startedAt
  /** Units of the service for one of ours; less where it counts otherwise, requests for instance. */
  let exchange = 1

  function rateAt(now: number): number {
    return now < spread.until ? Math.min(pace.rate(), spread.rate) : pace.rate()
  }

  function fill(now: number): void {
    const rate = rateAt(now)
    tokens = rate === Number.POSITIVE_INFINITY ? 0 : Math.min(burst * rate * windowMs, tokens + rate * (now - filledAt))
    filledAt = now
  }

  function take(units: number, now: number): Grant | number {
    if (now < holdUntil) return holdUntil - now
    if (closure !== null) holdUntil = now + windowMs / 30
    else {
      fill(now)
      const rate = rateAt(now)
      if (rate < Number.POSITIVE_INFINITY) {
        // A request larger than the bucket waits until that is full, and owes the rest.
        const missing = Math.min(units, burst * rate * windowMs) - tokens
        const waitMs = missing / rate
        if (missing > 1e-6 * units) return now < spread.until ? Math.min(waitMs, spread.until - now) : waitMs
        tokens -= units
      }
    }
    underWay += units
    return { units, epoch }
  }

  function heed(grant: Grant, { limit, windowMs: ownMs, remaining, resetMs }: RateHeaders, now: number): void {
    if (limit !== null && remaining !== null && remaining < limit && grant.units > 0)
      exchange = Math.min(exchange, (limit - remaining) / grant.units)
    if (limit !== null) pace.setCeiling(Math.min(known, limit / exchange / (ownMs ?? windowMs)))
    if (remaining === null) return
    const left = remaining / exchange - underWay
    if (resetMs !== null && resetMs > 0) spread = { rate: Math.max(0, left) / resetMs, until: now + resetMs }
    if (rateAt(now) < Number.POSITIVE_INFINITY) tokens = Math.min(tokens, left)
  }

  function refuse(grant: Grant, askedMs: number | null, now: number): void {
    if (closure === null && grant.epoch === epoch) {
      epoch += 1
      closure = { since: now, refusedAt: now, refusals: 1, accepted: 0, blind: askedMs === null }
      holdUntil = now + Math.max(askedMs ?? 0, shortestHold)
    } else if (closure !== null) {
      closure.refusals += 1
      const probe = grant.epoch === epoch
      if (probe) closure.refusedAt = now
      // Refused again after the wait that was asked for: from here on waits double.
      const ownMs = probe ? Math.max(shortestHold, Math.min(windowMs / 4, now - closure.since)) : 0
      holdUntil = Math.max(holdUntil, now + Math.max(askedMs ?? 0, ownMs))
    }
  }

  function accept(grant: Grant, now: number): void {
    if (closure !== null && grant.epoch === epoch) {
      pace.reopened(closure, now)
      closure = null
      holdUntil = now
      filledAt = now
      tokens = 0
    } else if (closure !== null) closure.accepted += 1
    pace.accepted(grant.units, now)
  }

  return {
    take,
    settle(grant, answer, { now, date }) {
      underWay -= grant.units
      if (answer === null) return
      fill(now)
      const told = readRateHeaders(answer.headers, date)
      heed(grant, told, now)
      if (refusals.includes(answer.status)) {
        const asked = retryAfterMs(answer.headers['retry-after'], date) ?? told.resetMs ?? undefined
        refuse(grant, asked === undefined ? null : Math.min(asked, maxHoldMs), now)
      } else if (answer.status < 500) accept(grant, now)
    },
  }
}
