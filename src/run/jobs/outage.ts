import { ChainlakeError, PostponedError } from '../../errors.ts'
import { durationText } from '../../lib/text/duration-text.ts'
import type { EmitEvent } from '../job/events.ts'
import { waitUnlessStopped } from '../job/wait.ts'

/** What is tried again while a run follows, for as long as it fails in ways that may pass. */
export type Outage = {
  /**
   * Runs a step. A failure that may pass is told when it begins, rarely while it lasts, and when it is over; then the milliseconds until
   * the next try are given, which grow. Throws what does not pass.
   */
  attempt<T>(
    step: () => Promise<T>,
    mayPass?: (error: unknown) => boolean,
  ): Promise<{ done: T } | { againInMs: number }>
}

export type Outages = {
  readonly of: (name: string) => Outage
  /** What is told through this lacks the single tries of what is known to fail. */
  readonly emit: EmitEvent
}

export type OutageOptions = {
  readonly emit: EmitEvent
  /** Milliseconds until the first new try; at most five seconds. */
  readonly pauseMs: number
  /** Monotonous clock in milliseconds. */
  readonly now?: () => number
}

const longestFirstPauseMs = 5_000
const longestPauseMs = 5 * 60_000
const tellEveryMs = 60 * 60_000

/** Whether the same may succeed later: the source, the network or the lake is not reached just now. */
export function isPassing(error: unknown): error is ChainlakeError {
  return error instanceof ChainlakeError && error.retryable
}

export function createOutages({ emit, pauseMs, now = () => performance.now() }: OutageOptions): Outages {
  let isQuiet = false
  const of = (name: string): Outage => {
    let failures = 0
    let sinceMs = 0
    let toldMs = 0
    const tell = (error: Error, againInMs: number): void => {
      const first = failures === 1
      if (!first && now() - toldMs < tellEveryMs) return
      toldMs = now()
      if (first) sinceMs = toldMs
      const lasts = first ? '' : ` For ${durationText((toldMs - sinceMs) / 1000)} now.`
      const facts = error instanceof ChainlakeError ? error.details : {}
      emit({
        kind: 'warning',
        message: `${name}: ${error.message}${lasts} It is tried again until it passes.`,
        details: { ...facts, 'next try in': durationText(againInMs / 1000) },
      })
    }
    const over = (): void => {
      if (failures === 0) return
      const lasted = durationText((now() - sinceMs) / 1000)
      emit({ kind: 'notice', message: `${name}: goes on after ${lasted}.`, details: { tries: failures } })
      failures = 0
    }
    return {
      async attempt(step, mayPass = isPassing) {
        isQuiet = failures > 0
        try {
          const done = await step()
          over()
          return { done }
        } catch (error) {
          if (!(error instanceof Error && mayPass(error))) throw error
          failures++
          const againInMs = Math.min(
            longestPauseMs,
            Math.min(pauseMs, longestFirstPauseMs) * 2 ** Math.min(failures - 1, 30),
          )
          tell(error, againInMs)
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

/**
 * Runs a step again and again until it succeeds, what it says of waits included. Throws what does not pass, and the reason of `stop`.
 */
export async function untilItPasses<T>(outage: Outage, step: () => Promise<T>, stop: AbortSignal): Promise<T> {
  for (;;) {
    const outcome = await outage.attempt(
      step,
      (error) => !stop.aborted && (isPassing(error) || error instanceof PostponedError),
    )
    if ('done' in outcome) return outcome.done
    await waitUnlessStopped(outcome.againInMs, stop)
    stop.throwIfAborted()
  }
}
