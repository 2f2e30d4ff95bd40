import { retryAfterMs } from './backoff.ts'
import { afterAccepted, afterClosure, type Closure, newPaceState, type PaceState, rateOf, withCeiling } from './pace.ts'
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
type Instant = { readonly now: number; readonly date: number }

/** What a bucket does with a request: it grants units, or names the wait after which to ask again. */
type Taken = { readonly state: BucketState } & (
  | { readonly grant: Grant }
  | { readonly grant: null; readonly wait: Wait }
)

/** `by`: what dictated the wait, such as `Retry-After`. */
export type Wait = { readonly ms: number; readonly by: string }

/** The reason for a wait that no answer dictated. */
const ownPace = 'the units that it grants'

/** Fraction of a window's units that may be sent at once after a pause. */
const burst = 0.02

/**
 * The state of a token bucket in compute units: plain values, so that processes can share it. It fills at the learnt rate, and it is closed
 * while the service refuses requests. All times are of one clock.
 */
export type BucketState = {
  readonly pace: PaceState
  /** Rate that spreads the remaining units, which a header stated, over the time until they reset. */
  readonly spread: Spread
  readonly tokens: number
  readonly filledAt: number
  readonly underWay: number
  /** Counts closures, so that a request sent before a closure neither ends nor prolongs it. */
  readonly epoch: number
  readonly closure: Closure | null
  readonly holdUntil: number
  /** What dictated `holdUntil`. */
  readonly heldBy: string
  /** Units of the service for one of our units; below 1 where the service counts something else, such as requests. */
  readonly exchange: number
}

type Spread = { readonly rate: number; readonly until: number }

export function newBucketState({ unitsPerWindow, windowMs }: BucketOptions, startedAt: number): BucketState {
  const known = knownRate({ unitsPerWindow, windowMs })
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

function knownRate({ unitsPerWindow, windowMs }: Pick<BucketOptions, 'unitsPerWindow' | 'windowMs'>): number {
  return unitsPerWindow === null ? Number.POSITIVE_INFINITY : unitsPerWindow / windowMs
}

/** Takes a grant to send a request that costs `units` now. */
export function take(options: BucketOptions, state: BucketState, units: number, now: number): Taken {
  return takeWhen(options, state, { enough: (size) => Math.min(units, size), least: units, most: units }, now)
}

/**
 * The same for several requests: at least `least` units, for the first of them, and up to `most` if the bucket has them. Processes that
 * take bundles compete with each other, so a large request goes into debt instead of waiting: small requests cannot starve it.
 */
export function takeBundle(
  options: BucketOptions,
  state: BucketState,
  { least, most }: { readonly least: number; readonly most: number },
  now: number,
): Taken {
  return takeWhen(options, state, { enough: () => 0, least, most }, now)
}

/** `enough`: the tokens that a bucket of a size must have. */
type Wanted = { readonly enough: (size: number) => number; readonly least: number; readonly most: number }

function takeWhen(
  { windowMs }: BucketOptions,
  state: BucketState,
  { enough, least, most }: Wanted,
  now: number,
): Taken {
  if (now < state.holdUntil) return { state, grant: null, wait: { ms: state.holdUntil - now, by: state.heldBy } }
  // One request finds out whether the service accepts requests again.
  if (state.closure !== null) return granted({ ...state, holdUntil: now + windowMs / 30 }, least)
  const full = filled(state, now, windowMs)
  const rate = rateAt(full, now)
  if (rate <= 0) return { state: full, grant: null, wait: { ms: full.spread.until - now, by: 'ratelimit-reset' } }
  if (rate === Number.POSITIVE_INFINITY) return granted(full, most)
  // A request larger than the bucket waits until the bucket is full, and goes into debt for the rest.
  const missing = enough(burst * rate * windowMs) - full.tokens
  if (missing > 1e-6 * least) return { state: full, grant: null, wait: waitForTokens(full, missing / rate, now) }
  const units = Math.max(least, Math.min(most, full.tokens))
  return granted({ ...full, tokens: full.tokens - units }, units)
}

function granted(state: BucketState, units: number): Taken {
  return { state: { ...state, underWay: state.underWay + units }, grant: { units, epoch: state.epoch } }
}

function waitForTokens({ spread }: BucketState, ms: number, now: number): Wait {
  if (now >= spread.until) return { ms, by: ownPace }
  return { ms: Math.min(ms, spread.until - now), by: 'ratelimit-remaining and ratelimit-reset' }
}

function rateAt({ pace, spread }: BucketState, now: number): number {
  return now < spread.until ? Math.min(rateOf(pace), spread.rate) : rateOf(pace)
}

function filled(state: BucketState, now: number, windowMs: number): BucketState {
  const rate = rateAt(state, now)
  const tokens =
    rate === Number.POSITIVE_INFINITY
      ? 0
      : Math.min(burst * rate * windowMs, state.tokens + rate * (now - state.filledAt))
  return { ...state, tokens, filledAt: now }
}

/** Takes back units of a bundle that were not used. */
export function giveBack(state: BucketState, { units, epoch }: Grant): BucketState {
  const underWay = state.underWay - units
  const isOpen = state.closure === null && epoch === state.epoch
  return { ...state, underWay, tokens: isOpen ? state.tokens + units : state.tokens }
}

/** After the answer to a request; null if there was none. */
export function settle(
  options: BucketOptions,
  before: BucketState,
  grant: Grant,
  answer: LimitSigns | null,
  { now, date }: Instant,
): BucketState {
  const state = { ...before, underWay: before.underWay - grant.units }
  if (answer === null) return state
  const headers = readRateHeaders(answer.headers, date)
  const heeded = afterHeaders(options, filled(state, now, options.windowMs), grant, headers, now)
  if (options.refusals.includes(answer.status))
    return refused(options, heeded, grant, dictatedWait(answer, headers, date), now)
  return answer.status < 500 ? accepted(options, heeded, grant, now) : heeded
}

function afterHeaders(
  options: BucketOptions,
  before: BucketState,
  { units }: Grant,
  { limit, windowMs, remaining, resetMs }: RateHeaders,
  now: number,
): BucketState {
  const isCounted = limit !== null && remaining !== null && remaining < limit && units > 0
  const exchange = isCounted ? Math.min(before.exchange, (limit - remaining) / units) : before.exchange
  const ceiling = limit === null ? null : limit / exchange / (windowMs ?? options.windowMs)
  const state: BucketState = {
    ...before,
    exchange,
    pace: ceiling === null ? before.pace : withCeiling(before.pace, Math.min(knownRate(options), ceiling)),
  }
  if (remaining === null) return state
  const left = remaining / exchange - state.underWay
  const spread = resetMs !== null && resetMs > 0 ? spreadOf(left, resetMs, now) : state.spread
  const isLimited = rateAt({ ...state, spread }, now) < Number.POSITIVE_INFINITY
  return { ...state, spread, tokens: isLimited ? Math.min(state.tokens, left) : state.tokens }
}

function refused(
  options: BucketOptions,
  before: BucketState,
  { epoch }: Grant,
  dictated: Wait | null,
  now: number,
): BucketState {
  const isLater = dictated !== null && now + dictated.ms >= before.holdUntil
  const state = isLater ? { ...before, heldBy: dictated.by } : before
  const isCurrent = epoch === state.epoch
  if (state.closure !== null) return withLongerClosure(options, state, state.closure, isCurrent, dictated, now)
  return isCurrent ? closed(options, state, dictated, now) : state
}

function shortestHold({ windowMs }: BucketOptions): number {
  return windowMs / 240
}

function closed(options: BucketOptions, state: BucketState, dictated: Wait | null, now: number): BucketState {
  return {
    ...state,
    epoch: state.epoch + 1,
    closure: { since: now, refusedAt: now, refusals: 1, accepted: 0, blind: dictated === null },
    holdUntil: now + Math.max(dictated?.ms ?? 0, shortestHold(options)),
  }
}

function withLongerClosure(
  options: BucketOptions,
  state: BucketState,
  closure: Closure,
  isProbe: boolean,
  dictated: Wait | null,
  now: number,
): BucketState {
  // The service refused again after the wait that it dictated: from here on waits double.
  const ownMs = isProbe ? Math.max(shortestHold(options), Math.min(options.windowMs / 4, now - closure.since)) : 0
  return {
    ...state,
    closure: { ...closure, refusals: closure.refusals + 1, refusedAt: isProbe ? now : closure.refusedAt },
    holdUntil: Math.max(state.holdUntil, now + Math.max(dictated?.ms ?? 0, ownMs)),
  }
}

function accepted({ windowMs }: BucketOptions, state: BucketState, { units, epoch }: Grant, now: number): BucketState {
  const { closure } = state
  const counted = (pace: PaceState) => afterAccepted(pace, units, now, windowMs)
  if (closure === null) return { ...state, pace: counted(state.pace) }
  if (epoch !== state.epoch)
    return { ...state, pace: counted(state.pace), closure: { ...closure, accepted: closure.accepted + 1 } }
  const pace = counted(afterClosure(state.pace, closure, now, windowMs))
  return { ...state, pace, closure: null, holdUntil: now, filledAt: now, tokens: 0 }
}

/**
 * A limit per hour or day does not set a rate: the remaining units may be used at once, and when none are left, requests wait until the
 * reset.
 */
function spreadOf(left: number, resetMs: number, now: number): Spread {
  const rate = left > 0 && resetMs > longestWindowMs ? Number.POSITIVE_INFINITY : Math.max(0, left) / resetMs
  return { rate, until: now + resetMs }
}

function dictatedWait({ headers }: LimitSigns, { resetMs }: RateHeaders, date: number): Wait | null {
  const ms = retryAfterMs(headers['retry-after'], date)
  if (ms !== undefined) return { ms, by: 'Retry-After' }
  return resetMs === null ? null : { ms: resetMs, by: 'ratelimit-reset' }
}
