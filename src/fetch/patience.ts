import { PostponedError } from '../errors.ts'
import { longestPauseMs } from '../lib/pause.ts'
import { durationText } from '../lib/text/duration-text.ts'

/** A wait of more than five minutes that a service dictates. */
export type LongWait = {
  /** The service, redacted. */
  readonly url: string
  readonly waitMs: number
  readonly until: Date
  /** What dictates it, such as `Retry-After`. */
  readonly said: string
  /** The longest wait that the caller accepts. */
  readonly maxWaitMs: number
}

/** Decides how long a service may make us wait. */
export type Patience = {
  /**
   * Call it before each wait; `said` names what dictates the wait. Throws `PostponedError` if the wait is too long, and reports a long wait
   * once.
   */
  allow(waitMs: number, said: string): void
}

type PatienceOptions = {
  readonly url: string
  /** Longest single wait in milliseconds. Default 15 minutes. */
  readonly maxWaitMs?: number
  readonly onLongWait?: (wait: LongWait) => void
}

const usualMaxWaitMs = 15 * 60_000
/** Longer waits are reported. */
const longMs = 5 * 60_000
/** Waits are cut to the longest pause when they are read, so the service may have demanded more than a wait of about that length. */
const cutMs = longestPauseMs - 60_000

export function createPatience({ url, maxWaitMs = usualMaxWaitMs, onLongWait }: PatienceOptions): Patience {
  /** End of the last wait that was reported (`performance.now()`). */
  let reportedUntil = Number.NEGATIVE_INFINITY
  return {
    allow(waitMs, said) {
      if (waitMs > maxWaitMs) throw tooLong({ url, waitMs, until: dateAfter(waitMs), said, maxWaitMs })
      const until = performance.now() + waitMs
      if (waitMs <= longMs || until <= reportedUntil + 1000) return
      reportedUntil = until
      onLongWait?.({ url, waitMs, until: dateAfter(waitMs), said, maxWaitMs })
    },
  }
}

function tooLong({ url, waitMs, until, said, maxWaitMs }: LongWait): PostponedError {
  const isCut = waitMs >= cutMs
  const wait = isCut ? `${durationText(longestPauseMs / 1000)} or longer` : durationText(waitMs / 1000)
  const pause = isCut ? { 'longest pause': durationText(longestPauseMs / 1000) } : {}
  return new PostponedError(`${url} accepts no requests for ${wait} (${said}).`, until, {
    code: 'postponed.wait',
    details: { said, 'longest wait': durationText(maxWaitMs / 1000), ...pause },
    hint: 'Run again after that time, use a key with a higher limit, or raise --max-wait.',
  })
}

function dateAfter(waitMs: number): Date {
  return new Date(Date.now() + Math.min(waitMs, longestPauseMs))
}
