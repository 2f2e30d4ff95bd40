import { longestTimerMs } from '../lib/pause.ts'
import { type BucketOptions, type Grant, type LimitSigns, newBucketState, settle, take, type Wait } from './bucket.ts'
import type { Patience } from './patience.ts'
import { type Waiter, waitInLine } from './waiter.ts'

export type { Grant, LimitSigns } from './bucket.ts'

export type RateLimitOptions = {
  /** Compute units per minute that the service grants; null: not known, so the limit is learnt from refusals. */
  readonly unitsPerMinute: number | null
  /** Length of the window in which the service counts units. Learning works without knowing it. Default one minute. */
  readonly windowMs?: number
  /** Statuses that say "too many". Default 429. */
  readonly refusals?: readonly number[]
  /** Monotonic clock in milliseconds. */
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
  acquire(units: number, signal?: AbortSignal, patience?: Patience): Promise<Grant>
  /** Reports the answer to a request; null if there was none. */
  report(grant: Grant, answer: LimitSigns | null): void
}

/**
 * A token bucket in compute units. The headers `ratelimit-limit`, `-remaining`, `-reset` and `-policy`, refusals and `Retry-After` lower its
 * rate; time without refusals raises it again, up to the known limit. After a refusal all requests wait, and then a single request finds
 * out whether the service accepts requests again.
 */
export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { unitsPerMinute, windowMs = 60_000, refusals = [429] } = options
  const now = options.now ?? (() => performance.now())
  const unitsPerWindow = unitsPerMinute === null ? null : (unitsPerMinute * windowMs) / 60_000
  const bucketOptions: BucketOptions = { unitsPerWindow, windowMs, refusals }
  let bucket = newBucketState(bucketOptions, now())
  const waiters = new Set<Waiter>()
  let timer: ReturnType<typeof setTimeout> | undefined

  function serve(): void {
    clearTimeout(timer)
    for (const waiter of waiters) {
      const taken = take(bucketOptions, bucket, waiter.units, now())
      bucket = taken.state
      if (taken.grant === null) {
        if (endsWaiting(waiter, taken.wait)) continue
        timer = setTimeout(serve, Math.min(longestTimerMs, Math.max(1, Math.ceil(taken.wait.ms))))
        return
      }
      waiters.delete(waiter)
      waiter.resolve(taken.grant)
    }
  }

  /** Rejects the waiter if the wait is longer than it accepts; says whether it did. */
  function endsWaiting(waiter: Waiter, { ms, by }: Wait): boolean {
    try {
      waiter.patience?.allow(ms, by)
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
      bucket = settle(bucketOptions, bucket, grant, answer, { now: now(), date: Date.now() })
      serve()
    },
  }
}
