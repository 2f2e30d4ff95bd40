import { sumOf } from '../lib/arrays.ts'
import { longestPauseMs, longestTimerMs, pause } from '../lib/wait.ts'
import { type Patience, retryAfterMs } from './waits.ts'

/*
 * How fast requests go to one host with one key. A bucket fills at a rate; each request takes its units out. `Retry-After` and the headers
 * `ratelimit-…` lower the rate. A refusal closes the bucket: all requests wait, then a single one finds out whether the service accepts
 * again. Then the rate falls to what the service has accepted, at most by half, and grows by a step with each window without a refusal.
 * The state is plain values, and each request and each answer makes the next one: processes share it as one row.
 */

/** Permission to send one request; the caller hands it back when the request is answered or fails. */
type Grant = { readonly units: number; readonly epoch: number }

/** The parts of an answer that say something about a limit. */
type LimitSigns = { readonly status: number; readonly headers: Readonly<Record<string, string>> }

type BucketOptions = {
  /** Units that a window grants; null: not known. */
  readonly unitsPerWindow: number | null
  readonly windowMs: number
  /** Statuses that say "too many". */
  readonly refusals: readonly number[]
}

/** `by`: what dictated the wait, such as `Retry-After`. */
export type Wait = { readonly ms: number; readonly by: string }

/** Rates are in units per millisecond, Infinity where no limit is known; all times are of one clock. */
export type Bucket = {
  /** The rate that a configuration states, and when it last did. Of processes that share the bucket, the lowest one counts. */
  readonly configured: { readonly rate: number; readonly at: number }
  /** The rate that the configuration or a header states; it is never exceeded. */
  readonly ceiling: number
  /** The limit learnt from refusals, below the ceiling. */
  readonly learnt: number
  /** The limit assumed at the last refusal: far below it, the rate grows faster. */
  readonly believed: number
  /** The rate that spreads the units that a header says are left over the time until they reset. */
  readonly spread: { readonly rate: number; readonly until: number }
  /** Units of the service for one of ours; below 1 where the service counts something else, such as requests. */
  readonly exchange: number
  readonly tokens: number
  readonly filledAt: number
  /** Nothing is sent before. */
  readonly until: number
  /** What dictated `until`. */
  readonly by: string
  /** Counts closures, so that a request sent before a closure neither ends nor prolongs it. */
  readonly epoch: number
  readonly closure: Closure | null
  readonly openedAt: number
  /** Units accepted since the service opened, by time; at least those of the last window. */
  readonly log: readonly { readonly at: number; readonly units: number }[]
  /** How likely refusals mean a limit: a single one says little, since services also refuse at random. `enough` of it is a limit. */
  readonly suspicion: number
  readonly enough: number
  /** Refusals in quick succession despite a learnt limit. */
  readonly inVain: number
  readonly step: { readonly since: number; readonly number: number; readonly answers: number; readonly units: number }
}

/** A period in which the service refused requests. */
type Closure = {
  readonly since: number
  readonly refusedAt: number
  /** Refusals, and requests under way at the first one that were accepted. */
  readonly refusals: number
  readonly accepted: number
  /** The service did not say how long to wait. */
  readonly blind: boolean
}

/** Fraction of a limit that is used: the rest covers network jitter and the burst of a full bucket. */
const usedShare = 0.95
/** Fraction of a window's units that may be sent at once after a pause. */
const burst = 0.02
const grantedUnits = 'the units that it grants'
/** A limit per hour or day is a budget, not a rate: a run does not slow down to make it last. */
const longestWindowMs = 600_000

export function newBucket(options: BucketOptions, now: number): Bucket {
  const { windowMs } = options
  const ceiling = configuredRate(options)
  return {
    configured: { rate: ceiling, at: now },
    ceiling,
    learnt: Number.POSITIVE_INFINITY,
    believed: 0,
    spread: { rate: Number.POSITIVE_INFINITY, until: now },
    exchange: 1,
    tokens: Number.isFinite(ceiling) ? burst * ceiling * windowMs : 0,
    filledAt: now,
    until: now,
    by: grantedUnits,
    epoch: 0,
    closure: null,
    openedAt: now,
    log: [],
    suspicion: 0,
    enough: 3,
    inVain: 0,
    step: { since: now, number: 0, answers: 0, units: 0 },
  }
}

function configuredRate({ unitsPerWindow, windowMs }: BucketOptions): number {
  return unitsPerWindow === null ? Number.POSITIVE_INFINITY : unitsPerWindow / windowMs
}

/** A shared bucket for a process with this configuration: a lower limit counts while another process uses it, at least once per window. */
function configured(options: BucketOptions, bucket: Bucket, now: number): Bucket {
  const rate = configuredRate(options)
  const known = bucket.configured
  if (known.rate < rate && now - known.at < options.windowMs) return bucket
  // A header that states a lower limit than the new one states it again with the next answer.
  const ceiling = rate > known.rate ? rate : Math.min(rate, bucket.ceiling)
  return { ...bucket, configured: { rate, at: now }, ceiling }
}

/**
 * Takes units for requests that are sent now: `least` for the first of them, up to `most` if the bucket has them. A request larger than what
 * is there goes into debt, so that small ones of other processes cannot starve it; while a header says how many are left, only from a full
 * bucket. Or names the wait after which to ask again.
 */
export function take(
  { windowMs }: BucketOptions,
  bucket: Bucket,
  { least, most }: { readonly least: number; readonly most: number },
  now: number,
): { readonly bucket: Bucket } & ({ readonly grant: Grant } | { readonly grant: null; readonly wait: Wait }) {
  const granted = (next: Bucket, units: number) => ({ bucket: next, grant: { units, epoch: next.epoch } })
  const waits = (next: Bucket, ms: number, by: string) => ({ bucket: next, grant: null, wait: { ms, by } })
  if (now < bucket.until) return waits(bucket, bucket.until - now, bucket.by)
  if (bucket.closure !== null) return granted({ ...bucket, until: now + windowMs / 30 }, least)
  const full = filled(bucket, now, windowMs)
  const rate = rateAt(full, now)
  const spreadMs = full.spread.until - now
  if (rate <= 0) return waits(full, spreadMs, 'ratelimit-reset')
  if (rate === Number.POSITIVE_INFINITY) return granted(full, most)
  const missing = (spreadMs > 0 ? Math.min(least, burst * rate * windowMs) : 0) - full.tokens
  if (missing > 1e-6 * least)
    return spreadMs <= 0
      ? waits(full, missing / rate, grantedUnits)
      : waits(full, Math.min(missing / rate, spreadMs), 'ratelimit-remaining and ratelimit-reset')
  const units = Math.max(least, Math.min(most, full.tokens))
  return granted({ ...full, tokens: full.tokens - units }, units)
}

/** The bucket after units of a grant come back unused. Units of an earlier epoch do not count. */
export function giveBack(bucket: Bucket, { units, epoch }: Grant): Bucket {
  const isOpen = bucket.closure === null && epoch === bucket.epoch
  return isOpen ? { ...bucket, tokens: bucket.tokens + units } : bucket
}

/** After the answer to a request. `date`: calendar time in milliseconds, which headers may name. */
export function settle(
  options: BucketOptions,
  before: Bucket,
  grant: Grant,
  { status, headers }: LimitSigns,
  { now, date }: { readonly now: number; readonly date: number },
): Bucket {
  const said = readRateHeaders(headers, date)
  const bucket = withHeaders(options, filled(before, now, options.windowMs), grant.units, said, now)
  if (!options.refusals.includes(status)) return status < 500 ? accepted(options, bucket, grant, now) : bucket
  const afterMs = retryAfterMs(headers['retry-after'], date)
  const byReset = said.resetMs === null ? null : { ms: said.resetMs, by: 'ratelimit-reset' }
  const wait = afterMs === undefined ? byReset : { ms: afterMs, by: 'Retry-After' }
  return refused(options, bucket, grant, wait, now)
}

function limitOf({ learnt, ceiling }: Bucket): number {
  return Math.min(learnt, ceiling)
}

function rateAt(bucket: Bucket, now: number): number {
  const rate = usedShare * limitOf(bucket)
  return now < bucket.spread.until ? Math.min(rate, bucket.spread.rate) : rate
}

function filled(bucket: Bucket, now: number, windowMs: number): Bucket {
  const rate = rateAt(bucket, now)
  const isLimited = rate < Number.POSITIVE_INFINITY
  const tokens = Math.min(burst * rate * windowMs, bucket.tokens + rate * (now - bucket.filledAt))
  return { ...bucket, tokens: isLimited ? tokens : 0, filledAt: now }
}

function withHeaders(
  options: BucketOptions,
  before: Bucket,
  units: number,
  { limit, windowMs, remaining, resetMs }: RateHeaders,
  now: number,
): Bucket {
  const isCounted = limit !== null && remaining !== null && remaining < limit && units > 0
  const exchange = isCounted ? Math.min(before.exchange, (limit - remaining) / units) : before.exchange
  const stated = limit === null ? null : limit / exchange / (windowMs ?? options.windowMs)
  const ceiling = stated === null ? before.ceiling : Math.min(before.configured.rate, stated)
  const learnt = before.learnt >= ceiling ? Number.POSITIVE_INFINITY : before.learnt
  const bucket = { ...before, exchange, ceiling, learnt }
  if (remaining === null) return bucket
  const left = remaining / exchange
  const isBudget = left > 0 && (resetMs ?? 0) > longestWindowMs
  const rate = isBudget ? Number.POSITIVE_INFINITY : Math.max(0, left) / (resetMs ?? 1)
  const spread = resetMs !== null && resetMs > 0 ? { rate, until: now + resetMs } : bucket.spread
  const isLimited = rateAt({ ...bucket, spread }, now) < Number.POSITIVE_INFINITY
  return { ...bucket, spread, tokens: isLimited ? Math.min(bucket.tokens, left) : bucket.tokens }
}

function refused({ windowMs }: BucketOptions, before: Bucket, grant: Grant, wait: Wait | null, now: number): Bucket {
  const isLater = wait !== null && now + wait.ms >= before.until
  const bucket = isLater ? { ...before, by: wait.by } : before
  const { closure } = bucket
  const isCurrent = grant.epoch === bucket.epoch
  const dictatedMs = wait?.ms ?? 0
  const shortestMs = windowMs / 240
  if (closure === null) {
    if (!isCurrent) return bucket
    const first = { since: now, refusedAt: now, refusals: 1, accepted: 0, blind: wait === null }
    return { ...bucket, epoch: bucket.epoch + 1, closure: first, until: now + Math.max(dictatedMs, shortestMs) }
  }
  // The service refused again after the wait that it dictated: from here on waits double.
  const ownMs = isCurrent ? Math.max(shortestMs, Math.min(windowMs / 4, now - closure.since)) : 0
  const refusedAt = isCurrent ? now : closure.refusedAt
  return {
    ...bucket,
    closure: { ...closure, refusals: closure.refusals + 1, refusedAt },
    until: Math.max(bucket.until, now + Math.max(dictatedMs, ownMs)),
  }
}

function accepted({ windowMs }: BucketOptions, bucket: Bucket, { units, epoch }: Grant, now: number): Bucket {
  const { closure } = bucket
  if (closure === null || epoch !== bucket.epoch) {
    const counted = grown({ ...bucket, log: added(bucket.log, units, now, windowMs) }, units, now, windowMs)
    return closure === null ? counted : { ...counted, closure: { ...closure, accepted: closure.accepted + 1 } }
  }
  const opened = { ...reopened(bucket, closure, now, windowMs), closure: null, until: now, filledAt: now, tokens: 0 }
  return grown({ ...opened, log: added([], units, now, windowMs) }, units, now, windowMs)
}

function added(log: Bucket['log'], units: number, now: number, windowMs: number): Bucket['log'] {
  const last = log.at(-1)
  if (last !== undefined && now - last.at < windowMs / 100)
    return [...log.slice(0, -1), { at: last.at, units: last.units + units }]
  return [...log.filter(({ at }) => at >= now - 1.1 * windowMs), { at: now, units }]
}

/** Growth of the n-th step without a refusal: cautious around the measured limit, faster once the rate is well above it. */
function growth(step: number): number {
  return step <= 12 ? 0.005 : Math.min(0.25, 0.01 * 2 ** (step - 13))
}

function grown(bucket: Bucket, units: number, now: number, windowMs: number): Bucket {
  if (bucket.learnt === Number.POSITIVE_INFINITY)
    return { ...bucket, suspicion: Math.max(0, bucket.suspicion - 1 / 120) }
  const step = { ...bucket.step, answers: bucket.step.answers + 1, units: bucket.step.units + units }
  const time = now - step.since
  if (time < windowMs || (step.answers < 50 && time < 3 * windowMs)) return { ...bucket, step }
  // A client that sends less than it may learns nothing about the limit.
  const isBusy = step.units >= 0.8 * usedShare * limitOf(bucket) * time
  const isDeep = bucket.learnt < 0.85 * bucket.believed
  const number = step.number + (isBusy && !isDeep ? 1 : 0)
  const learnt = bucket.learnt * (isBusy ? 1 + (isDeep ? 0.05 : growth(number)) : 1)
  return {
    ...bucket,
    learnt: learnt >= bucket.ceiling ? Number.POSITIVE_INFINITY : learnt,
    step: { since: now, number, answers: 0, units: 0 },
  }
}

/**
 * After a closure, when the service accepts requests again. The limit is measured over the cycle: units accepted since the service began to
 * accept, divided by the time until it accepts again. This works for fixed windows, sliding windows and token buckets of any length.
 */
function reopened(bucket: Bucket, closure: Closure, now: number, windowMs: number): Bucket {
  const { log, openedAt, learnt } = bucket
  const openMs = closure.since - openedAt
  const spanMs = Math.min(openMs, windowMs)
  const units = log.reduce((sum, each) => (each.at >= closure.since - spanMs ? sum + each.units : sum), 0)
  const slowest = units / (spanMs + now - closure.since)
  // A service that does not say when it accepts again did so between its last refusal and now: take the middle.
  const rate = closure.blind ? Math.sqrt((slowest * units) / (spanMs + closure.refusedAt - closure.since)) : slowest
  const wasLong = now - closure.since >= windowMs / 8
  const hasLearnt = Number.isFinite(learnt)
  const isSuspect = closure.refusals > 1 && closure.refusals > closure.accepted
  const suspicion = bucket.suspicion + (isSuspect ? 3 : 1)
  const inVain = hasLearnt && !wasLong && openMs < 3 * windowMs ? bucket.inVain + 1 : 0
  const known = limitOf(bucket)
  const believed = Number.isFinite(known) ? known : rate
  const step = { since: now, number: 0, answers: 0, units: 0 }
  const next = { ...bucket, suspicion, inVain, openedAt: now, believed, step }
  // Refusals that continue however slowly we send are no sign of a limit: from here on it takes more of them to believe in one.
  if (inVain >= 6)
    return { ...next, inVain: 0, suspicion: 0, enough: bucket.enough * 2, learnt: Number.POSITIVE_INFINITY }
  const half = Number.isFinite(known) ? known / 2 : 0
  if ((wasLong || suspicion >= bucket.enough) && units > 0)
    return { ...next, learnt: Math.max(Math.min(rate, known), half) }
  return hasLearnt ? { ...next, learnt: Math.min(0.97 * learnt, Math.max(rate, 0.85 * learnt)) } : next
}

/** What the headers of an answer say about a limit, in the units of the service. */
type RateHeaders = {
  /** Units that a window grants. */
  readonly limit: number | null
  /** Length of the window; null when no header names it. */
  readonly windowMs: number | null
  /** Units left in the window. */
  readonly remaining: number | null
  /** Milliseconds until the service grants units again, at most one day. */
  readonly resetMs: number | null
}

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
  const [shortest] = [...policies].sort((a, b) => (a.windowMs ?? 0) - (b.windowMs ?? 0))
  const limit = limits[0]?.quota ?? shortest?.quota ?? null
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

function itemsOf(text: string): { readonly quota: number; readonly windowMs: number | null }[] {
  return text.split(',').flatMap((item) => {
    const quota = numberOf(/;\s*q=(\d+)/.exec(item)?.[1] ?? /^\s*(\d+)/.exec(item)?.[1] ?? '')
    const seconds = numberOf(/;\s*w=(\d+)/.exec(item)?.[1] ?? '')
    return quota === null ? [] : [{ quota, windowMs: seconds === null || seconds === 0 ? null : seconds * 1000 }]
  })
}

function numberOf(text: string): number | null {
  return /^\s*\d+(\.\d+)?\s*(;|$)/.test(text) ? Number.parseFloat(text) : null
}

/** Where processes keep a limit that they share. */
export type SharedState = {
  /**
   * Atomically replaces the stored text with the result of `step`, which may be called more than once. Null: nothing is stored yet.
   * `nowMs`: Unix milliseconds of the clock that all processes share.
   */
  readonly change: <T>(
    step: (kept: string | null, nowMs: number) => { readonly keep: string; readonly result: T },
  ) => Promise<T>
}

export type RateLimitOptions = {
  /** Compute units per minute that the service grants; null: not known, so the limit is learnt from refusals. */
  readonly unitsPerMinute: number | null
  /** Length of the window in which the service counts units. Learning works without knowing it. Default one minute. */
  readonly windowMs?: number | undefined
  /** Statuses that say "too many". Default 429. */
  readonly refusals?: readonly number[]
  /** State that processes share, on any number of machines. Default: each limit keeps its own. */
  readonly shared?: SharedState
  /** Monotonic clock in milliseconds of a limit that is not shared. */
  readonly now?: () => number
}

/** Keeps requests to one host with one key below the limit of the host. */
export type RateLimit = {
  /** Statuses that say "too many": the request is sent again once this limit grants it. */
  readonly refusals: readonly number[]
  /**
   * Waits until a request that costs `units` compute units may be sent; requests are granted in order. Throws the signal's reason, and what
   * `patience` throws about a wait. The caller must report each grant.
   */
  readonly acquire: (units: number, signal?: AbortSignal, patience?: Patience) => Promise<Grant>
  /** Reports the answer to a request; null if there was none. */
  readonly report: (grant: Grant, answer: LimitSigns | null) => void
  /** Reports all results and gives back unused units of a shared limit; call it before the process ends. */
  readonly settle: () => Promise<void>
}

/** A request that waits for its grant. */
type Waiter = {
  readonly units: number
  readonly patience: Patience | undefined
  readonly resolve: (grant: Grant) => void
  readonly reject: (error: unknown) => void
}

type Change = <T>(step: (bucket: Bucket, now: number, date: number) => { keep: Bucket; result: T }) => Promise<T>

/** Requests fail when the shared state has been unreachable for this long. */
const outageMs = 30_000

/**
 * The limit of one host and key. A process takes a bundle of units of a shared limit, for the requests of its next moments, and with the same
 * change it reports the answers to earlier ones. It reports a refusal at once; the others learn of it with their next bundle.
 */
export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { unitsPerMinute, windowMs = 60_000, refusals = [429], shared } = options
  const unitsPerWindow = unitsPerMinute === null ? null : (unitsPerMinute * windowMs) / 60_000
  const bucketOptions: BucketOptions = { unitsPerWindow, windowMs, refusals }
  const change = shared === undefined ? inMemory(bucketOptions, options.now) : inRow(bucketOptions, shared)
  /** A bundle covers this time, and units that are left of it are given back after `keepMs`. */
  const bundleMs = shared === undefined ? 0 : windowMs / 240
  const keepMs = Math.max(2 * bundleMs, 100)
  const waiters = new Set<Waiter>()
  let answered: { readonly grant: Grant; readonly answer: LimitSigns }[] = []
  let unused: Grant[] = []
  let hand = { units: 0, epoch: 0, takenAt: 0 }
  /** Units of bundles that were spent recently. */
  let spent = { units: 0, since: performance.now() }
  /** Whether the last exchange granted units: only then may a request without cost begin, which a closure holds up like any other. */
  let isGranted = false
  let exchanging: Promise<void> | null = null
  let timer: { readonly id: ReturnType<typeof setTimeout>; readonly at: number } | null = null
  let unreachableSince: number | null = null

  /** Schedules an exchange within the given milliseconds. */
  function within(milliseconds: number): void {
    const at = performance.now() + milliseconds
    if (timer !== null && timer.at <= at) return
    if (timer !== null) clearTimeout(timer.id)
    timer = { id: setTimeout(exchange, Math.min(longestTimerMs, Math.ceil(milliseconds))), at }
    // Without waiters there are only results to report: the timer must not keep the process alive.
    if (waiters.size === 0) timer.id.unref()
    else timer.id.ref()
  }

  function spend(): void {
    if (hand.units > 0 && performance.now() - hand.takenAt > keepMs) setAside()
    for (const waiter of waiters) {
      if (waiter.units > hand.units || (waiter.units === 0 && !isGranted)) break
      hand = { ...hand, units: hand.units - waiter.units }
      spent.units += waiter.units
      waiters.delete(waiter)
      waiter.resolve({ units: waiter.units, epoch: hand.epoch })
    }
  }

  /** The next exchange gives the units in hand back. */
  function setAside(): void {
    if (hand.units > 0) unused.push({ units: hand.units, epoch: hand.epoch })
    hand = { ...hand, units: 0 }
  }

  const isRefused = (): boolean => answered.some(({ answer }) => refusals.includes(answer.status))

  function exchange(): void {
    if (timer !== null) clearTimeout(timer.id)
    timer = null
    exchanging ??= exchangeNow()
      .then(
        (waitMs) => {
          unreachableSince = null
          return waitMs
        },
        async (error: unknown) => {
          unreachableSince ??= performance.now()
          if (performance.now() - unreachableSince > outageMs) for (const waiter of [...waiters]) fail(waiter, error)
          await pause(1000)
          return 0
        },
      )
      .then((waitMs) => {
        exchanging = null
        spend()
        isGranted = false
        goOn(waitMs)
      })
  }

  /** Plans the next exchange. `waitMs`: when there are units for those that wait. */
  function goOn(waitMs: number): void {
    if (waiters.size > 0 && waitMs === 0 && bundleMs === 0) exchange()
    else if (waiters.size > 0) within(waitMs)
    // Reports to other processes do not wait until this process may send again.
    if (answered.length + unused.length > 0) within(isRefused() ? 0 : bundleMs)
    else if (waiters.size === 0 && hand.units > 0) within(keepMs)
  }

  function fail(waiter: Waiter, error: unknown): void {
    waiters.delete(waiter)
    waiter.reject(error)
  }

  /** Reports the results of requests and takes the next bundle; resolves to the milliseconds to wait before the next exchange. */
  async function exchangeNow(): Promise<number> {
    setAside()
    const [first] = waiters
    const waiting = sumOf([...waiters], 'units')
    const recent = (spent.units * bundleMs) / Math.max(1, performance.now() - spent.since)
    const most = Math.max(waiting, recent)
    const report = { answered, unused }
    answered = []
    unused = []
    try {
      const taken = await change((kept, now, date) => {
        let bucket = report.unused.reduce(giveBack, kept)
        for (const { grant, answer } of report.answered)
          bucket = settle(bucketOptions, bucket, grant, answer, { now, date })
        const taken = first === undefined ? null : take(bucketOptions, bucket, { least: first.units, most }, now)
        return { keep: taken?.bucket ?? bucket, result: taken }
      })
      if (taken === null) return 0
      return taken.grant === null ? waitForUnits(taken.wait) : takeInHand(taken.grant, most)
    } catch (error) {
      answered = [...report.answered, ...answered]
      unused = [...report.unused, ...unused]
      throw error
    }
  }

  function takeInHand(grant: Grant, most: number): number {
    hand = { ...grant, takenAt: performance.now() }
    isGranted = true
    spent = { units: 0, since: performance.now() }
    // The bundle is complete: requests that arrived in the meantime may take another one at once.
    return grant.units >= most ? 0 : jittered(bundleMs)
  }

  function waitForUnits({ ms, by }: Wait): number {
    for (const waiter of [...waiters]) {
      try {
        waiter.patience?.allow(ms, by)
      } catch (error) {
        fail(waiter, error)
      }
    }
    return Math.max(ms, jittered(bundleMs))
  }

  return {
    refusals,
    acquire: (units, signal, patience) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        const onAbort = () => {
          fail(waiter, signal?.reason)
          if (waiters.size === 0) timer?.id.unref()
        }
        const settled =
          <T>(settle: (value: T) => void) =>
          (value: T) => {
            signal?.removeEventListener('abort', onAbort)
            settle(value)
          }
        const waiter: Waiter = { units, patience, resolve: settled(resolve), reject: settled(reject) }
        signal?.addEventListener('abort', onAbort, { once: true })
        waiters.add(waiter)
        spend()
        // The exchange for earlier waiters is scheduled already; an earlier one would not get more units.
        if (waiters.has(waiter) && exchanging === null && timer?.id.hasRef() !== true) exchange()
      }),
    report(grant, answer) {
      if (answer === null) return
      answered.push({ grant, answer })
      if (refusals.includes(answer.status)) setAside()
      if (bundleMs === 0 || refusals.includes(answer.status)) exchange()
      else if (exchanging === null) within(bundleMs)
    },
    async settle() {
      await exchanging
      if (timer !== null) clearTimeout(timer.id)
      timer = null
      if (answered.length + unused.length + hand.units > 0) await exchangeNow()
    },
  }
}

function inMemory(options: BucketOptions, clock = () => performance.now()): Change {
  let bucket = newBucket(options, clock())
  return async (step) => {
    const { keep, result } = step(bucket, clock(), Date.now())
    bucket = keep
    return result
  }
}

/** A row of text. It begins again when the clock goes back. */
function inRow(options: BucketOptions, { change }: SharedState): Change {
  type Kept = { readonly seenMs: number; readonly bucket: Bucket }
  return (step) =>
    change((text, nowMs) => {
      const kept = text === null ? null : (JSON.parse(text, (_, value) => (value === '∞' ? Infinity : value)) as Kept)
      // A row of an earlier version of chainlake has no `configured`.
      const isKnown = kept?.bucket.configured !== undefined && nowMs >= kept.seenMs - options.windowMs
      const bucket = isKnown ? configured(options, kept.bucket, nowMs) : newBucket(options, nowMs)
      const { keep, result } = step(bucket, nowMs, nowMs)
      const next: Kept = { seenMs: nowMs, bucket: keep }
      return { keep: JSON.stringify(next, (_, value) => (value === Infinity ? '∞' : value)), result }
    })
}

/** Random variation keeps processes from exchanging at the same time. */
function jittered(milliseconds: number): number {
  return milliseconds * (0.5 + Math.random() / 2)
}
