import { retryAfterMs } from './backoff.ts'
import { type Closure, createPace } from './pace.ts'
import { longestWindowMs, type RateHeaders, readRateHeaders } from './rate-headers.ts'

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
}

/** Time that is given: `now` is monotonous, `date` is that of the calendar; both in milliseconds. */
export type Instant = { readonly now: number; readonly date: number }

export type Bucket = {
  /** Leave to send a request of so many units now, or the milliseconds after which to ask again. */
  take(units: number, now: number): Grant | number
  settle(grant: Grant, answer: LimitSigns | null, at: Instant): void
  /** What dictates the wait that `take` gave last, such as `Retry-After`. */
  waitsFor(): string
}

/** What a wait is for that no answer asked for. */
const ownPace = 'the units that it grants'

/** A wait that a refusal asks for, and the header that does. */
type Asked = { readonly ms: number; readonly by: string }

/** Part of a window that may be sent at once after a rest. */
const burst = 0.02

/** A token bucket in compute units that fills at the learnt pace, and that is shut while the service refuses. */
export function createBucket({ unitsPerWindow, windowMs, refusals }: BucketOptions, startedAt: number): Bucket {
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
  /** What asked for it. */
  let heldBy = ownPace
  let waitsFor = ownPace
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
    if (now < holdUntil) {
      waitsFor = heldBy
      return holdUntil - now
    }
    if (closure !== null) holdUntil = now + windowMs / 30
    else {
      fill(now)
      const rate = rateAt(now)
      if (rate <= 0) {
        waitsFor = 'ratelimit-reset'
        return spread.until - now
      }
      if (rate < Number.POSITIVE_INFINITY) {
        // A request larger than the bucket waits until that is full, and owes the rest.
        const missing = Math.min(units, burst * rate * windowMs) - tokens
        const waitMs = missing / rate
        if (missing > 1e-6 * units) {
          waitsFor = now < spread.until ? 'ratelimit-remaining and ratelimit-reset' : ownPace
          return now < spread.until ? Math.min(waitMs, spread.until - now) : waitMs
        }
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
    if (resetMs !== null && resetMs > 0) spread = spreadOf(left, resetMs, now)
    if (rateAt(now) < Number.POSITIVE_INFINITY) tokens = Math.min(tokens, left)
  }

  function refuse(grant: Grant, asked: Asked | null, now: number): void {
    const askedMs = asked?.ms ?? null
    if (asked !== null && now + asked.ms >= holdUntil) heldBy = asked.by
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
    waitsFor: () => waitsFor,
    settle(grant, answer, { now, date }) {
      underWay -= grant.units
      if (answer === null) return
      fill(now)
      const told = readRateHeaders(answer.headers, date)
      heed(grant, told, now)
      if (refusals.includes(answer.status)) {
        refuse(grant, askedBy(answer, told, date), now)
      } else if (answer.status < 500) accept(grant, now)
    },
  }
}

/** A limit of an hour or a day is no pace: what it leaves may go at once, and when nothing is left, nothing goes until it resets. */
function spreadOf(left: number, resetMs: number, now: number): { rate: number; until: number } {
  const rate = left > 0 && resetMs > longestWindowMs ? Number.POSITIVE_INFINITY : Math.max(0, left) / resetMs
  return { rate, until: now + resetMs }
}

function askedBy({ headers }: LimitSigns, { resetMs }: RateHeaders, date: number): Asked | null {
  const patience = retryAfterMs(headers['retry-after'], date)
  if (patience !== undefined) return { ms: patience, by: 'Retry-After' }
  return resetMs === null ? null : { ms: resetMs, by: 'ratelimit-reset' }
}
