import { longestTimerMs } from '../lib/pause.ts'
import { type BucketOptions, createBucket, type Grant, type LimitSigns } from './bucket.ts'
import type { Patience } from './patience.ts'
import { type Waiter, waitInLine } from './waiter.ts'

export type { Grant, LimitSigns } from './bucket.ts'

export type RateLimitOptions = {
  /** Compute units a minute that the service grants; null: not known, so learnt from what it refuses. */
  readonly unitsPerMinute: number | null
  /** Length of the window in which the service counts; limits are learnt without knowing it. Default a minute. */
  readonly windowMs?: number
  /** Statuses that say "too many". Default 429. */
  readonly refusals?: readonly number[]
  /** Monotonous clock in milliseconds. */
  readonly now?: () => number
}

/** Keeps the requests to one host with one key below what it grants. */
export type RateLimit = {
  /** Statuses that say "too many": to be asked again, when this limit gives leave. */
  readonly refusals: readonly number[]
  /**
   * Waits for leave to send a request of so many compute units; leave is given in the order of asking. Throws the signal's
   * reason, and what `patience` throws of a wait. Each grant has to be reported.
   */
  acquire(units: number, signal?: AbortSignal, patience?: Patience): Promise<Grant>
  /** Tells what became of a request; null for one that was not answered. */
  report(grant: Grant, answer: LimitSigns | null): void
}

/**
 * A token bucket in compute units. `ratelimit-limit`, `-remaining`, `-reset` and `-policy`, refusals and `Retry-After` tighten
 * it; time without refusals widens it again, up to the known limit. After a refusal everything waits, then a single request
 * finds out whether the service accepts again.
 */
export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { unitsPerMinute, windowMs = 60_000, refusals = [429] } = options
  const now = options.now ?? (() => performance.now())
  const unitsPerWindow = unitsPerMinute === null ? null : (unitsPerMinute * windowMs) / 60_000
  const bucketOptions: BucketOptions = { unitsPerWindow, windowMs, refusals }
  const bucket = createBucket(bucketOptions, now())
  const waiters = new Set<Waiter>()
  let timer: ReturnType<typeof setTimeout> | undefined

  function serve(): void {
    clearTimeout(timer)
    for (const waiter of waiters) {
      const leave = bucket.take(waiter.units, now())
      if (typeof leave === 'number') {
        if (endsWaiting(waiter, leave)) continue
        timer = setTimeout(serve, Math.min(longestTimerMs, Math.max(1, Math.ceil(leave))))
        return
      }
      waiters.delete(waiter)
      waiter.resolve(leave)
    }
  }

  /** Whether the wait is longer than the waiter puts up with. */
  function endsWaiting(waiter: Waiter, waitMs: number): boolean {
    try {
      waiter.patience?.allow(waitMs, bucket.waitsFor())
      return false
    } catch (error) {
      waiters.delete(waiter)
      waiter.reject(error)
      return true
    }
  }

  return {
    refusals,
    acquire: (units, signal, patience) =>
      waitInLine(
        waiters,
        { units, patience, signal },
        {
          joined: () => {
            if (waiters.size === 1) serve()
          },
          left: serve,
        },
      ),
    report(grant, answer) {
      bucket.settle(grant, answer, { now: now(), date: Date.now() })
      serve()
    },
  }
}
