import { retryAfterMs } from './backoff.ts'
import { type Closure, createPace, newPaceState, type PaceState } from './pace.ts'
import { longestWindowMs, type RateHeaders, readRateHeaders } from './rate-headers.ts'

/** Permission to send one request; the caller hands it back when the request is answered or fails. */
export type Grant = { readonly units: number; readonly epoch: number }

/** The parts of an answer that say something about a limit. */
export type LimitSigns = { readonly status: number; readonly headers: Readonly<Record<string, string>> }

export type BucketOptions = {
  /** Units that a window grants; null: not known. */
  readonly unitsPerWindow: number | null
  readonly windowMs: number
  /** Statuses that say "too many". */
  readonly refusals: readonly number[]
}

/** A point in time: `now` is monotonic, `date` is calendar time; both in milliseconds. */
export type Instant = { readonly now: number; readonly date: number }

export type Bucket = {
  /** A grant to send a request that costs `units` now, or the milliseconds after which to try again. */
  take(units: number, now: number): Grant | number
  /**
   * The same for several requests: at least `least` units, for the first of them, and up to `most` if the bucket has them. Processes that
   * take bundles compete with each other, so a large request goes into debt instead of waiting: small requests cannot starve it.
   */
  takeBundle(least: number, most: number, now: number): Grant | number
  /** Takes back units of a bundle that were not used. */
  giveBack(grant: Grant): void
  settle(grant: Grant, answer: LimitSigns | null, at: Instant): void
  /** What dictated the wait that `take` returned last, such as `Retry-After`. */
  waitsFor(): string
}

/** The reason for a wait that no answer dictated. */
const ownPace = 'the units that it grants'

/** A wait that a refusal dictates, and the header that says so. */
type DictatedWait = { readonly ms: number; readonly by: string }

/** Fraction of a window's units that may be sent at once after a pause. */
const burst = 0.02

/** The state of a bucket: plain values, so that processes can share it. All times are of one clock. */
export type BucketState = {
  pace: PaceState
  /** Rate that spreads the remaining units, which a header stated, over the time until they reset. */
  spread: { rate: number; until: number }
  tokens: number
  filledAt: number
  underWay: number
  /** Counts closures, so that a request sent before a closure neither ends nor prolongs it. */
  epoch: number
  closure: Closure | null
  holdUntil: number
  /** What dictated `holdUntil`. */
  heldBy: string
  /** Units of the service for one of our units; below 1 where the service counts something else, such as requests. */
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

/** A token bucket in compute units. It fills at the learnt rate, and it is closed while the service refuses requests. */
export function createBucket(options: BucketOptions, startedAt: number): Bucket {
  return bucketOf(options, newBucketState(options, startedAt))
}

/** A bucket that resumes from `state` and keeps what it learns there. */
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

  function grant(units: number): Grant {
    state.underWay += units
    return { units, epoch: state.epoch }
  }

  function wait(ms: number, reason: string): number {
    waitsFor = reason
    return ms
  }

  function waitForTokens(ms: number, now: number): number {
    if (now >= state.spread.until) return wait(ms, ownPace)
    return wait(Math.min(ms, state.spread.until - now), 'ratelimit-remaining and ratelimit-reset')
  }

  function take(units: number, now: number): Grant | number {
    return takeWhen((size) => Math.min(units, size), units, units, now)
  }

  /** Grants units once a bucket of the current size has `enough` tokens. */
  function takeWhen(enough: (size: number) => number, least: number, most: number, now: number): Grant | number {
    if (now < state.holdUntil) return wait(state.holdUntil - now, state.heldBy)
    if (state.closure !== null) {
      // One request finds out whether the service accepts requests again.
      state.holdUntil = now + windowMs / 30
      return grant(least)
    }
    fill(now)
    const rate = rateAt(now)
    if (rate <= 0) return wait(state.spread.until - now, 'ratelimit-reset')
    if (rate === Number.POSITIVE_INFINITY) return grant(most)
    // A request larger than the bucket waits until the bucket is full, and goes into debt for the rest.
    const missing = enough(burst * rate * windowMs) - state.tokens
    if (missing > 1e-6 * least) return waitForTokens(missing / rate, now)
    const units = Math.max(least, Math.min(most, state.tokens))
    state.tokens -= units
    return grant(units)
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

  function refuse(grant: Grant, dictated: DictatedWait | null, now: number): void {
    if (dictated !== null && now + dictated.ms >= state.holdUntil) state.heldBy = dictated.by
    const isCurrent = grant.epoch === state.epoch
    if (state.closure !== null) prolongClosure(state.closure, isCurrent, dictated, now)
    else if (isCurrent) beginClosure(dictated, now)
  }

  function beginClosure(dictated: DictatedWait | null, now: number): void {
    state.epoch += 1
    state.closure = { since: now, refusedAt: now, refusals: 1, accepted: 0, blind: dictated === null }
    state.holdUntil = now + Math.max(dictated?.ms ?? 0, shortestHold)
  }

  function prolongClosure(closure: Closure, isProbe: boolean, dictated: DictatedWait | null, now: number): void {
    closure.refusals += 1
    if (isProbe) closure.refusedAt = now
    // The service refused again after the wait that it dictated: from here on waits double.
    const ownMs = isProbe ? Math.max(shortestHold, Math.min(windowMs / 4, now - closure.since)) : 0
    state.holdUntil = Math.max(state.holdUntil, now + Math.max(dictated?.ms ?? 0, ownMs))
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
      const headers = readRateHeaders(answer.headers, date)
      heed(grant, headers, now)
      if (refusals.includes(answer.status)) refuse(grant, dictatedWait(answer, headers, date), now)
      else if (answer.status < 500) accept(grant, now)
    },
  }
}

/**
 * A limit per hour or day does not set a rate: the remaining units may be used at once, and when none are left, requests wait until the
 * reset.
 */
function spreadOf(left: number, resetMs: number, now: number): { rate: number; until: number } {
  const rate = left > 0 && resetMs > longestWindowMs ? Number.POSITIVE_INFINITY : Math.max(0, left) / resetMs
  return { rate, until: now + resetMs }
}

function dictatedWait({ headers }: LimitSigns, { resetMs }: RateHeaders, date: number): DictatedWait | null {
  const ms = retryAfterMs(headers['retry-after'], date)
  if (ms !== undefined) return { ms, by: 'Retry-After' }
  return resetMs === null ? null : { ms: resetMs, by: 'ratelimit-reset' }
}
