import { ChainlakeError, PostponedError } from '../../errors.ts'
import { durationText } from '../../lib/text/duration-text.ts'
import type { EmitEvent } from '../job/events.ts'
import { waitUnlessStopped } from '../job/wait.ts'

/** Retries a step while a run follows the chain, as long as its failures are transient. */
export type Outage = {
  /**
   * Runs a step. A transient failure is reported when it begins, at intervals while it lasts, and when it is over. Returns the milliseconds
   * until the next attempt, which grow. Throws any other failure.
   */
  attempt<T>(
    step: () => Promise<T>,
    mayRetry?: (error: unknown) => boolean,
  ): Promise<{ done: T } | { againInMs: number }>
}

export type Outages = {
  readonly of: (name: string) => Outage
  /** Emits events, except retries of single requests during a reported outage. */
  readonly emit: EmitEvent
}

type OutageOptions = {
  readonly emit: EmitEvent
  /** Milliseconds before the first retry; at most five seconds. */
  readonly pauseMs: number
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
}

const longestFirstPauseMs = 5_000
const longestPauseMs = 5 * 60_000
const reportEveryMs = 60 * 60_000

/** Whether an error is transient: the source, the network or the lake cannot be reached at the moment. */
export function isTransient(error: unknown): error is ChainlakeError {
  return error instanceof ChainlakeError && error.retryable
}

export function createOutages({ emit, pauseMs, now = () => performance.now() }: OutageOptions): Outages {
  let isQuiet = false
  const of = (name: string): Outage => {
    let failures = 0
    let sinceMs = 0
    let reportedMs = 0
    const report = (error: Error, againInMs: number): void => {
      const first = failures === 1
      if (!first && now() - reportedMs < reportEveryMs) return
      reportedMs = now()
      if (first) sinceMs = reportedMs
      const lasts = first ? '' : ` This has lasted ${durationText((reportedMs - sinceMs) / 1000)}.`
      const facts = error instanceof ChainlakeError ? error.details : {}
      emit({
        kind: 'warning',
        message: `${name}: ${error.message}${lasts} chainlake retries until it succeeds.`,
        details: { ...facts, 'next try in': durationText(againInMs / 1000) },
      })
    }
    const over = (): void => {
      if (failures === 0) return
      const lasted = durationText((now() - sinceMs) / 1000)
      emit({ kind: 'notice', message: `${name}: recovered after ${lasted}.`, details: { tries: failures } })
      failures = 0
    }
    return {
      async attempt(step, mayRetry = isTransient) {
        isQuiet = failures > 0
        try {
          const done = await step()
          over()
          return { done }
        } catch (error) {
          if (!(error instanceof Error && mayRetry(error))) throw error
          failures++
          const againInMs = Math.min(
            longestPauseMs,
            Math.min(pauseMs, longestFirstPauseMs) * 2 ** Math.min(failures - 1, 30),
          )
          report(error, againInMs)
          return { againInMs }
        } finally {
          isQuiet = false
        }
      },
    }
  }
  return {
    of,
    emit: (event) => {
      if (!(isQuiet && event.kind === 'retry')) emit(event)
    },
  }
}

/** Retries a step until it succeeds, also while it is postponed. Throws permanent failures and the reason of `stop`. */
export async function untilItSucceeds<T>(outage: Outage, step: () => Promise<T>, stop: AbortSignal): Promise<T> {
  for (;;) {
    const outcome = await outage.attempt(
      step,
      (error) => !stop.aborted && (isTransient(error) || error instanceof PostponedError),
    )
    if ('done' in outcome) return outcome.done
    await waitUnlessStopped(outcome.againInMs, stop)
    stop.throwIfAborted()
  }
}
