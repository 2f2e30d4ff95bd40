import { longestPauseMs, pause } from '../lib/pause.ts'
import {
  type BucketOptions,
  type BucketState,
  bucketOf,
  type Grant,
  type LimitSigns,
  newBucketState,
} from './bucket.ts'
import type { RateLimit, RateLimitOptions } from './rate-limit.ts'
import { type Waiter, waitInLine } from './waiter.ts'

/** Where processes keep a limit that they share. */
export type SharedState = {
  /**
   * Replaces the text that is kept by what `step` makes of it, at once with what other processes do; `step` may be called again. Null:
   * nothing is kept yet. `nowMs`: since 1970, by the one clock that counts.
   */
  readonly change: <T>(step: (kept: string | null, nowMs: number) => Changed<T>) => Promise<T>
}

export type Changed<T> = { readonly keep: string; readonly result: T }

export type SharedLimitOptions = RateLimitOptions & {
  readonly state: SharedState
  /** Tells the processes apart. */
  readonly holder: string
}

type Settled = { readonly grant: Grant; readonly answer: LimitSigns | null }

/** What is kept: the bucket, and what of `underWay` is whose, since a process may die with requests. */
type Kept = {
  readonly unitsPerWindow: number | null
  readonly bucket: BucketState
  readonly seenMs: number
  readonly holders: Record<string, { readonly underWay: number; readonly seenMs: number }>
}

/** Who has not been heard of for so long has nothing under way. */
const goneMs = 120_000
/** So long the place of the state may be out of reach before requests fail. */
const outageMs = 30_000

/**
 * A rate limit that processes share, on however many machines: one bucket, learnt from the answers to all of them, of which each takes
 * what it sends in the next moments at once. A refusal is told immediately, and heard of by the others when they take their next bundle.
 */
export function createSharedLimit(options: SharedLimitOptions): RateLimit & { readonly settle: () => Promise<void> } {
  const { unitsPerMinute, windowMs = 60_000, refusals = [429], state, holder } = options
  const unitsPerWindow = unitsPerMinute === null ? null : (unitsPerMinute * windowMs) / 60_000
  const bucketOptions: BucketOptions = { unitsPerWindow, windowMs, refusals }
  /** For so long units are taken in advance; what is left after twice that is given back. */
  const bundleMs = windowMs / 240
  const waiters = new Set<Waiter>()
  let settled: Settled[] = []
  let hand: Grant & { readonly takenAt: number } = { units: 0, epoch: 0, takenAt: 0 }
  /** What was spent of bundles lately. */
  let spent = { units: 0, since: performance.now() }
  let exchanging: Promise<void> | null = null
  let timer: { readonly id: ReturnType<typeof setTimeout>; readonly at: number } | null = null
  let unreachableSince: number | null = null

  /** Exchanges within so many milliseconds. */
  function within(milliseconds: number): void {
    const at = performance.now() + milliseconds
    if (timer !== null && timer.at <= at) return
    if (timer !== null) clearTimeout(timer.id)
    timer = { id: setTimeout(exchange, milliseconds), at }
    // Waiting for nothing but to tell: a process may end meanwhile.
    if (waiters.size === 0) timer.id.unref()
    else timer.id.ref()
  }

  function spend(): void {
    const now = performance.now()
    if (hand.units > 0 && now - hand.takenAt > 2 * bundleMs) laySide()
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

  /** Units in advance, given back at the next exchange. */
  let unused: Grant[] = []
  function laySide(): void {
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
        // What others have to know does not wait for what this process waits for.
        if (settled.length + unused.length > 0) within(isRefusedIn(settled) ? 0 : bundleMs)
        else if (waiters.size === 0 && hand.units > 0) within(2 * bundleMs)
      })
  }

  function fail(waiter: Waiter, error: unknown): void {
    waiters.delete(waiter)
    waiter.reject(error)
  }

  /** Tells what became of requests, and takes the next bundle; resolves to how long to wait for another one. */
  async function exchangeNow(): Promise<number> {
    laySide()
    const [first] = waiters
    const waiting = [...waiters].reduce((sum, { units }) => sum + units, 0)
    const lately = (spent.units * bundleMs) / Math.max(1, performance.now() - spent.since)
    const most = Math.max(waiting, lately)
    const told = { settled, unused }
    settled = []
    unused = []
    try {
      const { leave, waitsFor } = await state.change((text, clockMs) => {
        const kept = keptOf(text, clockMs)
        const bucket = bucketOf(bucketOptions, kept.bucket)
        for (const grant of told.unused) bucket.giveBack(grant)
        for (const { grant, answer } of told.settled) bucket.settle(grant, answer, { now: clockMs, date: clockMs })
        const leave = first === undefined ? null : bucket.takeBundle(first.units, most, clockMs)
        return { keep: textOf(kept, clockMs), result: { leave, waitsFor: bucket.waitsFor() } }
      })
      if (leave === null) return 0
      if (typeof leave === 'object') {
        hand = { ...leave, takenAt: performance.now() }
        spent = { units: 0, since: performance.now() }
        // As much as was asked for: who came meanwhile asks at once.
        return leave.units >= most ? 0 : jittered(bundleMs)
      }
      for (const waiter of [...waiters]) {
        try {
          waiter.patience?.allow(leave, waitsFor)
        } catch (error) {
          fail(waiter, error)
        }
      }
      return Math.max(leave, jittered(bundleMs))
    } catch (error) {
      settled = [...told.settled, ...settled]
      unused = [...told.unused, ...unused]
      throw error
    }
  }

  function keptOf(text: string | null, nowMs: number): Kept {
    const known = text === null ? null : (JSON.parse(text, (_, value) => (value === '∞' ? Infinity : value)) as Kept)
    // Another limit was configured, or the clock went back.
    if (known === null || known.unitsPerWindow !== unitsPerWindow || nowMs < known.seenMs - windowMs)
      return { unitsPerWindow, bucket: newBucketState(bucketOptions, nowMs), seenMs: nowMs, holders: {} }
    const alive = Object.entries(known.holders).filter(([, { seenMs }]) => seenMs > nowMs - goneMs)
    known.bucket.underWay = sumOf(alive)
    // Earlier versions believed a header that asked for years.
    const latest = nowMs + longestPauseMs
    known.bucket.holdUntil = Math.min(known.bucket.holdUntil, latest)
    known.bucket.spread.until = Math.min(known.bucket.spread.until, latest)
    return { ...known, holders: Object.fromEntries(alive) }
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
            // What is waited for already has its time; another exchange sooner would get no more.
            if (waiters.has(waiter) && exchanging === null && timer?.id.hasRef() !== true) exchange()
          },
        },
      ),
    report(grant, answer) {
      settled.push({ grant, answer })
      if (isRefusedIn([{ grant, answer }])) {
        laySide()
        exchange()
      } else if (exchanging === null) within(bundleMs)
    },
    /** Tells all, and gives back what is left; for the end of a process. */
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

/** Processes do not stay in step with one another. */
function jittered(milliseconds: number): number {
  return milliseconds * (0.5 + Math.random() / 2)
}
