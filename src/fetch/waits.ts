import { PostponedError, RateLimitError, TransportError } from '../errors.ts'
import { durationText } from '../lib/text.ts'
import { longestPauseMs, pause } from '../lib/wait.ts'
import { afterTries, type RequestedUrl } from './failures.ts'

export type Backoff = {
  /** Upper bound of the wait after the first failure; it doubles with every further failure. */
  readonly baseMs: number
  /** Upper bound of every wait. */
  readonly maxMs: number
}

/** Exponential backoff with full jitter: a random wait up to a bound that doubles. `failures` counts from 1. */
export function backoffMs(failures: number, { baseMs, maxMs }: Backoff): number {
  return Math.random() * Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 40))
}

/**
 * The wait that a `Retry-After` header demands, in milliseconds from `nowMs`, at most one day. The header holds a number of seconds or an
 * HTTP date (RFC 9110, 10.2.3). Undefined if the header is missing or unreadable; 0 for a date in the past.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(longestPauseMs, Number(text) * 1000)
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined
  // The oldest of the three date formats names no time zone; all three are GMT.
  const date = Date.parse(/GMT$|UTC$|[+-]\d{4}$/.test(text) ? text : `${text} GMT`)
  return Number.isNaN(date) ? undefined : Math.min(longestPauseMs, Math.max(0, date - nowMs))
}

const duration =
  /(\d+(?:\.\d+)?)(?:\s*(ms|milliseconds?|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h)(?![a-z])|(?!\s*[a-z\d.]))/gi
const unitsMs: readonly [RegExp, number][] = [
  [/^m(s|illi)/i, 1],
  [/^m/i, 60_000],
  [/^h/i, 3_600_000],
]

/**
 * The wait that an error demands in words ("try again in 1.2s", "retry after 5") or in fields such as `backoff_seconds` and `try_again_in`, in
 * milliseconds, at most one day. Undefined if it names none.
 */
export function saidWaitMs(said: unknown): number | undefined {
  if (typeof said === 'string') return waitIn(/(?:again|retry|wait|back ?off)\D{0,24}(.*)/is.exec(said)?.[1])
  if (typeof said !== 'object' || said === null) return undefined
  for (const [name, value] of Object.entries(said)) {
    const isNamed = /again|retry|wait|back_?off/i.test(name)
    const unit = /ms$|milli/i.test(name) ? 'ms' : 's'
    const wait =
      isNamed && typeof value !== 'object'
        ? waitIn(/\d$/.test(`${value}`) ? `${value}${unit}` : `${value}`)
        : saidWaitMs(value)
    if (wait !== undefined) return wait
  }
  return undefined
}

/** The duration at the beginning of a text, such as `1.2 s`, `1m30s` or `5`, which are seconds. */
function waitIn(text = ''): number | undefined {
  const parts = /^((\d+(\.\d+)?)\s*[a-z]*\s*)+/i.exec(text)?.[0]
  if (parts === undefined) return undefined
  const waits = [...parts.matchAll(duration)].map(
    ([, amount, unit = 's']) => Number(amount) * (unitsMs.find(([name]) => name.test(unit))?.[1] ?? 1000),
  )
  const waitMs = waits.reduce((sum, each) => sum + each, 0)
  return waits.length === 0 ? undefined : Math.min(longestPauseMs, waitMs)
}

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

export type Patience = ReturnType<typeof createPatience>

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

/** Decides how long a service may make us wait. */
export function createPatience({ url, maxWaitMs = usualMaxWaitMs, onLongWait }: PatienceOptions) {
  /** End of the last wait that was reported (`performance.now()`). */
  let reportedUntil = Number.NEGATIVE_INFINITY
  return {
    /**
     * Call it before each wait; `said` names what dictates the wait. Throws `PostponedError` if the wait is too long, and reports a long wait
     * once.
     */
    allow(waitMs: number, said: string): void {
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

export type Cooldown = ReturnType<typeof createCooldown>

/** The memory through which threads share a cooldown. */
export type SharedCooldown = SharedArrayBuffer

export function newSharedCooldown(): SharedCooldown {
  return new SharedArrayBuffer(8)
}

/**
 * The time until which nothing is sent to an endpoint that demanded a wait: a new one, or the one in `shared` memory. All clients of the
 * endpoint share it.
 */
export function createCooldown(shared: SharedCooldown = newSharedCooldown()) {
  const until = new BigInt64Array(shared)
  // A monotonic clock that all threads of a process share, in microseconds.
  const nowUs = () => process.hrtime.bigint() / 1000n
  return {
    /** Milliseconds left; zero or negative when there is nothing to wait for. */
    leftMs: (): number => Number(Atomics.load(until, 0) - nowUs()) / 1000,
    /** Sends nothing for this long from now on, at most one day. */
    extend(milliseconds: number): void {
      const wanted = nowUs() + BigInt(Math.floor(Math.min(milliseconds, longestPauseMs) * 1000))
      for (let known = Atomics.load(until, 0); known < wanted; known = Atomics.load(until, 0))
        if (Atomics.compareExchange(until, 0, known, wanted) === known) return
    },
  }
}

export type Retry = {
  /** Redacted. */
  readonly url: string
  /** The try that failed, from 1. */
  readonly attempt: number
  readonly waitMs: number
  readonly reason: string
  /** The source is there and refuses requests because of their rate. */
  readonly limited?: true
  /** The endpoint has not answered yet and refuses connections: whether this is the first such failure. */
  readonly unreached?: Unreached
}

type RetryOptions = {
  readonly tries: number
  readonly signal: AbortSignal
  readonly backoff: Backoff
  readonly cooldown: Cooldown
  readonly patience: Patience
  readonly firstContact: ReturnType<typeof createFirstContact>
  /** A rate limit makes refused requests wait. */
  readonly isLimited: boolean
  readonly onRetry: ((retry: Retry) => void) | undefined
}

/** Refusals because of a rate limit count apart from failures: a limit per minute may refuse more often than a request has tries. */
const mostRefusals = 3

/** Tries until an attempt succeeds, fails in a way that a retry cannot help, or the tries are used up. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  request: RequestedUrl,
  { tries, signal, backoff, cooldown, patience, firstContact, isLimited, onRetry }: RetryOptions,
): Promise<T> {
  let failures = 0
  let refusals = 0

  /** Counts a failure, and throws it if that was the last try. `alike`: failures of its kind. */
  function counted(error: TransportError): Noted & { readonly alike: number } {
    if (error instanceof RateLimitError) {
      refusals = error.isPartial ? 1 : refusals + 1
      if (refusals > mostRefusals * tries) throw afterTries(error, failures + refusals)
      return { alike: refusals, unreached: null, leftMs: null }
    }
    failures++
    const noted = firstContact.noteFailure(error)
    // Until the first contact the time counts, not the tries.
    if (noted.leftMs === null ? failures >= tries : noted.leftMs === 0) throw afterTries(error, failures + refusals)
    return { alike: failures, ...noted }
  }
  async function waitAfter(error: TransportError): Promise<void> {
    const { alike, unreached, leftMs } = counted(error)
    const refusal = error instanceof RateLimitError ? error : null
    const report = (waitMs: number): void =>
      onRetry?.({
        url: request.url,
        attempt: failures + refusals,
        waitMs: Math.round(waitMs),
        reason: error.message,
        ...(refusal === null ? {} : { limited: true }),
        ...(unreached === null ? {} : { unreached }),
      })
    // The rate limit decides how long the next try waits.
    if (refusal !== null && isLimited) return report(refusal.retryAfterMs ?? 0)
    const ownMs = Math.min(backoffMs(alike, backoff), leftMs ?? Number.POSITIVE_INFINITY)
    // "Too many requests": all requests to the endpoint wait, not only this one.
    if (refusal !== null) cooldown.extend(Math.max(ownMs, refusal.retryAfterMs ?? 0))
    // The wait after a failure is our own: only what the source dictates may be too long.
    const dictatedMs = cooldown.leftMs()
    patience.allow(dictatedMs, 'Retry-After')
    const waitMs = Math.max(ownMs, dictatedMs)
    report(waitMs)
    await pause(waitMs, signal)
  }

  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      // Errors of the catalog, which counts units, are not retried here: the catalog has its own waits.
      if (signal.aborted || !(error instanceof TransportError && error.kind === 'transient')) throw error
      await waitAfter(error)
    }
  }
}

type Unreached = 'first' | 'again'

type Noted = {
  /** The first refused connection before any answer, or a later one; null: another failure. */
  readonly unreached: Unreached | null
  /** How long it may still be retried, in milliseconds; null: as long as tries are left. */
  readonly leftMs: number | null
}

/**
 * Whether an endpoint has answered yet. A refused connection before its first answer is more likely a wrong URL or a service that is not
 * running than an outage. `patienceMs`: how long refused connections are retried; null: as long as tries are left.
 */
export function createFirstContact(patienceMs: number | null, now = () => performance.now()) {
  let isMade = false
  let firstFailureMs: number | null = null
  return {
    /** Call it after an answer of the endpoint, whatever its status. */
    made: (): void => {
      isMade = true
    },
    /** Notes a failure of a request to the endpoint. */
    noteFailure: (error: TransportError): Noted => {
      if (isMade || error.details['cause'] !== 'ECONNREFUSED') return { unreached: null, leftMs: null }
      const unreached = firstFailureMs === null ? 'first' : 'again'
      firstFailureMs ??= now()
      const leftMs = patienceMs === null ? null : Math.max(0, firstFailureMs + patienceMs - now())
      return { unreached, leftMs }
    },
  }
}
