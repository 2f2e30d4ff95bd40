import { retryAfterMs } from './backoff.ts'
import { type Closure, createPace, newPaceState, type PaceState } from './pace.ts'
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
  /**
   * The same for several requests: `least` units for the first of them, and up to `most` where there are so many. Who takes bundles
   * competes with others: what is missing for a large request is owed, so that it does not starve beside small ones.
   */
  takeBundle(least: number, most: number, now: number): Grant | number
  /** Takes back units of a bundle for which nothing was sent. */
  giveBack(grant: Grant): void
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

/** What a bucket is: plain values, so that processes can hand it to one another. Times are of one clock. */
export type BucketState = {
  pace: PaceState
  /** Pace that spreads what a header says is left until it resets. */
  spread: { rate: number; until: number }
  tokens: number
  filledAt: number
  underWay: number
  /** Counts closures, so that what was sent before one does not open or lengthen it. */
  epoch: number
  closure: Closure | null
  holdUntil: number
  /** What asked for it. */
  heldBy: string
  /** Units of the service for one of ours; less where it counts otherwise, requests for instance. */
  exchange: number
}

export function newBucketState({ unitsPerWindow, windowMs }: BucketOptions, startedAt: number): BucketState {
  const known = rateOf({ unitsPerWindow, windowMs })
  return {
    pace: newPaceState(known, startedAt),
    spread: { rate: Number.POSITIVE_INFINITY, until: startedAt },
    tokens: Number.isFinite(known) ? burst * known * windowMs : 0,
    filledAt: startedAt,
    underWay: 0,
    epoch: 0,
    closure: null,
    holdUntil: startedAt,
    heldBy: ownPace,
    exchange: 1,
  }
}

function rateOf({ unitsPerWindow, windowMs }: Pick<BucketOptions, 'unitsPerWindow' | 'windowMs'>): number {
  return unitsPerWindow === null ? Number.POSITIVE_INFINITY : unitsPerWindow / windowMs
}

/** A token bucket in compute units that fills at the learnt pace, and that is shut while the service refuses. */
export function createBucket(options: BucketOptions, startedAt: number): Bucket {
  return bucketOf(options, newBucketState(options, startedAt))
}

/** Goes on from `state`, and keeps what it learns there. */
export function bucketOf({ unitsPerWindow, windowMs, refusals }: BucketOptions, state: BucketState): Bucket {
  const shortestHold = windowMs / 240
  const known = rateOf({ unitsPerWindow, windowMs })
  const pace = createPace(windowMs, state.pace)
  let waitsFor = ownPace

  function rateAt(now: number): number {
    return now < state.spread.until ? Math.min(pace.rate(), state.spread.rate) : pace.rate()
  }

  function fill(now: number): void {
    const rate = rateAt(now)
    state.tokens =
      rate === Number.POSITIVE_INFINITY
        ? 0
        : Math.min(burst * rate * windowMs, state.tokens + rate * (now - state.filledAt))
    state.filledAt = now
  }

  function take(units: number, now: number): Grant | number {
    return takeWhen((size) => Math.min(units, size), units, units, now)
  }

  /** Gives leave when there are `enough` tokens in a bucket of that size. */
  function takeWhen(enough: (size: number) => number, least: number, most: number, now: number): Grant | number {
    if (now < state.holdUntil) {
      waitsFor = state.heldBy
      return state.holdUntil - now
    }
    let units = most
    if (state.closure !== null) {
      // One request finds out whether the service accepts again.
      state.holdUntil = now + windowMs / 30
      units = least
    } else {
      fill(now)
      const rate = rateAt(now)
      if (rate <= 0) {
        waitsFor = 'ratelimit-reset'
        return state.spread.until - now
      }
      if (rate < Number.POSITIVE_INFINITY) {
        // A request larger than the bucket waits until that is full, and owes the rest.
        const missing = enough(burst * rate * windowMs) - state.tokens
        const waitMs = missing / rate
        if (missing > 1e-6 * least) {
          waitsFor = now < state.spread.until ? 'ratelimit-remaining and ratelimit-reset' : ownPace
          return now < state.spread.until ? Math.min(waitMs, state.spread.until - now) : waitMs
        }
        units = Math.max(least, Math.min(most, state.tokens))
        state.tokens -= units
      }
    }
    state.underWay += units
    return { units, epoch: state.epoch }
  }

  function heed(grant: Grant, { limit, windowMs: ownMs, remaining, resetMs }: RateHeaders, now: number): void {
    if (limit !== null && remaining !== null && remaining < limit && grant.units > 0)
      state.exchange = Math.min(state.exchange, (limit - remaining) / grant.units)
    if (limit !== null) pace.setCeiling(Math.min(known, limit / state.exchange / (ownMs ?? windowMs)))
    if (remaining === null) return
    const left = remaining / state.exchange - state.underWay
    if (resetMs !== null && resetMs > 0) state.spread = spreadOf(left, resetMs, now)
    if (rateAt(now) < Number.POSITIVE_INFINITY) state.tokens = Math.min(state.tokens, left)
  }

  function refuse(grant: Grant, asked: Asked | null, now: number): void {
    const askedMs = asked?.ms ?? null
    if (asked !== null && now + asked.ms >= state.holdUntil) state.heldBy = asked.by
    if (state.closure === null && grant.epoch === state.epoch) {
      state.epoch += 1
      state.closure = { since: now, refusedAt: now, refusals: 1, accepted: 0, blind: askedMs === null }
      state.holdUntil = now + Math.max(askedMs ?? 0, shortestHold)
    } else if (state.closure !== null) {
      state.closure.refusals += 1
      const probe = grant.epoch === state.epoch
      if (probe) state.closure.refusedAt = now
      // Refused again after the wait that was asked for: from here on waits double.
      const ownMs = probe ? Math.max(shortestHold, Math.min(windowMs / 4, now - state.closure.since)) : 0
      state.holdUntil = Math.max(state.holdUntil, now + Math.max(askedMs ?? 0, ownMs))
    }
  }

  function accept(grant: Grant, now: number): void {
    if (state.closure !== null && grant.epoch === state.epoch) {
      pace.reopened(state.closure, now)
      state.closure = null
      state.holdUntil = now
      state.filledAt = now
      state.tokens = 0
    } else if (state.closure !== null) state.closure.accepted += 1
    pace.accepted(grant.units, now)
  }

  return {
    take,
    takeBundle: (least, most, now) => takeWhen(() => 0, least, most, now),
    giveBack({ units, epoch }) {
      state.underWay -= units
      if (state.closure === null && epoch === state.epoch) state.tokens += units
    },
    waitsFor: () => waitsFor,
    settle(grant, answer, { now, date }) {
      state.underWay -= grant.units
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
