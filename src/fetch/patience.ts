import { PostponedError } from '../errors.ts'
import { longestPauseMs } from '../lib/pause.ts'
import { durationText } from '../lib/text/duration-text.ts'

/** A wait that a service dictates and that takes more than five minutes. */
export type LongWait = {
  /** Who asks for it, redacted. */
  readonly url: string
  readonly waitMs: number
  readonly until: Date
  /** What says so, such as `Retry-After`. */
  readonly said: string
  /** The longest wait that is put up with. */
  readonly maxWaitMs: number
}

/** How long a service may make us wait. */
export type Patience = {
  /**
   * To be asked before each wait; `said` names what dictates it. Throws `PostponedError` for one that is too long, and tells of one that is
   * worth knowing, once.
   */
  allow(waitMs: number, said: string): void
}

export type PatienceOptions = {
  readonly url: string
  /** Longest single wait in milliseconds. Default 15 minutes. */
  readonly maxWaitMs?: number
  readonly onLongWait?: (wait: LongWait) => void
}

export const usualMaxWaitMs = 15 * 60_000
/** A wait that is longer is told of. */
const longMs = 5 * 60_000
/** Waits are cut to the longest pause where they are read: of one that is about that long, more may have been asked for. */
const cutMs = longestPauseMs - 60_000

export function createPatience({ url, maxWaitMs = usualMaxWaitMs, onLongWait }: PatienceOptions): Patience {
  /** Until when (`performance.now()`) a wait was told of. */
  let toldUntil = Number.NEGATIVE_INFINITY
  return {
    allow(waitMs, said) {
      if (waitMs > maxWaitMs) throw tooLong({ url, waitMs, until: dateAfter(waitMs), said, maxWaitMs })
      const until = performance.now() + waitMs
      if (waitMs <= longMs || until <= toldUntil + 1000) return
      toldUntil = until
      onLongWait?.({ url, waitMs, until: dateAfter(waitMs), said, maxWaitMs })
    },
  }
}

function tooLong({ url, waitMs, until, said, maxWaitMs }: LongWait): PostponedError {
  const isCut = waitMs >= cutMs
  const wait = isCut ? `${durationText(longestPauseMs / 1000)} or longer` : durationText(waitMs / 1000)
  const pause = isCut ? { 'longest pause': durationText(longestPauseMs / 1000) } : {}
  return new PostponedError(`${url} wants no request for ${wait} (${said}).`, until, {
    code: 'postponed.wait',
    details: { said, 'longest wait': durationText(maxWaitMs / 1000), ...pause },
    hint: 'Run again after that time, with a key that has a higher limit, or with a longer --max-wait.',
  })
}

function dateAfter(waitMs: number): Date {
  return new Date(Date.now() + Math.min(waitMs, longestPauseMs))
}
