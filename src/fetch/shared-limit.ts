import { longestPauseMs, pause } from '../lib/pause.ts'
import {
  type BucketOptions,
  type BucketState,
  type Grant,
  giveBack,
  type LimitSigns,
  newBucketState,
  settle,
  takeBundle,
  type Wait,
} from './bucket.ts'
import type { RateLimit, RateLimitOptions } from './rate-limit.ts'
import { type Waiter, waitInLine } from './waiter.ts'

/** Where processes keep a limit that they share. */
export type SharedState = {
  /**
   * Atomically replaces the stored text with the result of `step`, which may be called more than once. Null: nothing is stored yet.
   * `nowMs`: Unix milliseconds of the clock that all processes share.
   */
  readonly change: <T>(step: (kept: string | null, nowMs: number) => Changed<T>) => Promise<T>
}

type Changed<T> = { readonly keep: string; readonly result: T }

type SharedLimitOptions = RateLimitOptions & {
  readonly state: SharedState
  /** Identifies this process. */
  readonly holder: string
}

type Settled = { readonly grant: Grant; readonly answer: LimitSigns | null }

/** The stored state: the bucket, and the units under way of each process, since a process may die before its requests are answered. */
type Kept = {
  readonly unitsPerWindow: number | null
  readonly bucket: BucketState
  readonly seenMs: number
  readonly holders: Record<string, { readonly underWay: number; readonly seenMs: number }>
}

/** A process that has not been seen for this long has no requests under way. */
const goneMs = 120_000
/** Requests fail when the stored state has been unreachable for this long. */
const outageMs = 30_000

/**
 * A rate limit that processes share, on any number of machines: one bucket, learnt from the answers to all of them. Each process takes a
 * bundle of units for the requests of its next moments. A process reports a refusal immediately; the others learn about it when they take
 * their next bundle.
 */
export function createSharedLimit(options: SharedLimitOptions): RateLimit & { readonly settle: () => Promise<void> } {
  const { unitsPerMinute, windowMs = 60_000, refusals = [429], state, holder } = options
  const unitsPerWindow = unitsPerMinute === null ? null : (unitsPerMinute * windowMs) / 60_000
  const bucketOptions: BucketOptions = { unitsPerWindow, windowMs, refusals }
  /** A bundle covers this time; units that are left after twice this time are given back. */
  const bundleMs = windowMs / 240
  const waiters = new Set<Waiter>()
  let settled: Settled[] = []
  let hand: Grant & { readonly takenAt: number } = { units: 0, epoch: 0, takenAt: 0 }
  /** Units of bundles that were spent recently. */
  let spent = { units: 0, since: performance.now() }
  let exchanging: Promise<void> | null = null
  let timer: { readonly id: ReturnType<typeof setTimeout>; readonly at: number } | null = null
  let unreachableSince: number | null = null

  /** Schedules an exchange within the given milliseconds. */
  function within(milliseconds: number): void {
    const at = performance.now() + milliseconds
    if (timer !== null && timer.at <= at) return
    if (timer !== null) clearTimeout(timer.id)
    timer = { id: setTimeout(exchange, milliseconds), at }
    // Without waiters there are only results to report: the timer must not keep the process alive.
    if (waiters.size === 0) timer.id.unref()
    else timer.id.ref()
  }

  function spend(): void {
    const now = performance.now()
    if (hand.units > 0 && now - hand.takenAt > 2 * bundleMs) setAside()
    for (const waiter of waiters) {
      if (waiter.units > hand.units) break
      hand = { ...hand, units: hand.units - waiter.units }
      spent.units += waiter.units
      waiters.delete(waiter)
      waiter.resolve({ units: waiter.units, epoch: hand.epoch })
    }
  }

  const isRefusedIn = (answers: readonly Settled[]): boolean =>
    answers.some(({ answer }) => answer !== null && refusals.includes(answer.status))

  /** Unused units of bundles; the next exchange gives them back. */
  let unused: Grant[] = []
  function setAside(): void {
    if (hand.units > 0) unused.push({ units: hand.units, epoch: hand.epoch })
    hand = { ...hand, units: 0 }
  }

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
        if (waiters.size > 0) within(waitMs)
        // Reports to other processes do not wait until this process may send again.
        if (settled.length + unused.length > 0) within(isRefusedIn(settled) ? 0 : bundleMs)
        else if (waiters.size === 0 && hand.units > 0) within(2 * bundleMs)
      })
  }

  function fail(waiter: Waiter, error: unknown): void {
    waiters.delete(waiter)
    waiter.reject(error)
  }

  /** Reports the results of requests and takes the next bundle; resolves to the milliseconds to wait before the next exchange. */
  async function exchangeNow(): Promise<number> {
    setAside()
    const [first] = waiters
    const waiting = [...waiters].reduce((sum, { units }) => sum + units, 0)
    const recent = (spent.units * bundleMs) / Math.max(1, performance.now() - spent.since)
    const most = Math.max(waiting, recent)
    const report = { settled, unused }
    settled = []
    unused = []
    try {
      const taken = await state.change((text, clockMs) => {
        const kept = keptOf(text, clockMs)
        let bucket = report.unused.reduce(giveBack, kept.bucket)
        for (const { grant, answer } of report.settled)
          bucket = settle(bucketOptions, bucket, grant, answer, { now: clockMs, date: clockMs })
        const taken =
          first === undefined ? null : takeBundle(bucketOptions, bucket, { least: first.units, most }, clockMs)
        return { keep: textOf({ ...kept, bucket: taken?.state ?? bucket }, clockMs), result: taken }
      })
      if (taken === null) return 0
      return taken.grant === null ? waitForUnits(taken.wait) : takeInHand(taken.grant, most)
    } catch (error) {
      settled = [...report.settled, ...settled]
      unused = [...report.unused, ...unused]
      throw error
    }
  }

  function takeInHand(grant: Grant, most: number): number {
    hand = { ...grant, takenAt: performance.now() }
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

  function keptOf(text: string | null, nowMs: number): Kept {
    const known = text === null ? null : (JSON.parse(text, (_, value) => (value === '∞' ? Infinity : value)) as Kept)
    // The configured limit changed, or the clock went back.
    if (known === null || known.unitsPerWindow !== unitsPerWindow || nowMs < known.seenMs - windowMs)
      return { unitsPerWindow, bucket: newBucketState(bucketOptions, nowMs), seenMs: nowMs, holders: {} }
    const alive = Object.entries(known.holders).filter(([, { seenMs }]) => seenMs > nowMs - goneMs)
    // A header may have demanded a wait of years.
    const latest = nowMs + longestPauseMs
    const { holdUntil, spread } = known.bucket
    const bucket = {
      ...known.bucket,
      underWay: sumOf(alive),
      holdUntil: Math.min(holdUntil, latest),
      spread: { ...spread, until: Math.min(spread.until, latest) },
    }
    return { ...known, bucket, holders: Object.fromEntries(alive) }
  }

  function textOf({ bucket, holders }: Kept, nowMs: number): string {
    const others = Object.entries(holders).filter(([id]) => id !== holder)
    const own = { underWay: Math.max(0, bucket.underWay - sumOf(others)), seenMs: nowMs }
    const next = { unitsPerWindow, bucket, seenMs: nowMs, holders: { ...Object.fromEntries(others), [holder]: own } }
    return JSON.stringify(next, (_, value) => (value === Infinity ? '∞' : value))
  }

  return {
    refusals,
    acquire: (units, signal, patience) =>
      waitInLine(
        waiters,
        { units, patience, signal },
        {
          joined: (waiter) => {
            spend()
            // The exchange for earlier waiters is scheduled already; an earlier one would not get more units.
            if (waiters.has(waiter) && exchanging === null && timer?.id.hasRef() !== true) exchange()
          },
        },
      ),
    report(grant, answer) {
      settled.push({ grant, answer })
      if (isRefusedIn([{ grant, answer }])) {
        setAside()
        exchange()
      } else if (exchanging === null) within(bundleMs)
    },
    /** Reports all results and gives back unused units; call it before the process ends. */
    async settle() {
      await exchanging
      if (timer !== null) clearTimeout(timer.id)
      timer = null
      if (settled.length + unused.length + hand.units > 0) await exchangeNow()
    },
  }
}

function sumOf(holders: readonly (readonly [string, { readonly underWay: number }])[]): number {
  return holders.reduce((sum, [, { underWay }]) => sum + underWay, 0)
}

/** Random variation keeps processes from exchanging at the same time. */
function jittered(milliseconds: number): number {
  return milliseconds * (0.5 + Math.random() / 2)
}
