import { RateLimitError, TransportError } from '../errors.ts'
import { pause } from '../lib/pause.ts'
import { type Backoff, backoffMs } from './backoff.ts'
import type { Cooldown } from './cooldown.ts'
import { afterTries, type RequestedUrl } from './failures.ts'
import type { FirstContact, Noted, Unreached } from './first-contact.ts'
import type { Patience } from './patience.ts'

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

export type RetryOptions = {
  readonly backoff: Backoff
  readonly cooldown: Cooldown
  readonly patience: Patience
  readonly firstContact: FirstContact
  /** A rate limit makes refused requests wait. */
  readonly isLimited: boolean
  readonly onRetry: ((retry: Retry) => void) | undefined
  readonly random: () => number
}

/** Refusals because of a rate limit count apart from failures: a limit per minute may refuse more often than a request has tries. */
const mostRefusals = 3
const notedNothing: Noted = { unreached: null, leftMs: null }

type Tries = { readonly tries: number; readonly signal: AbortSignal }

/** Tries until an attempt succeeds, fails in a way that a retry cannot help, or the tries are used up. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  request: RequestedUrl,
  { tries, signal }: Tries,
  options: RetryOptions,
): Promise<T> {
  const counts: Counts = { failures: 0, refusals: 0 }
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      // Errors of the catalog, which counts units, are not retried here: the catalog has its own waits.
      if (signal.aborted || !isRetryable(error)) throw error
      if (error instanceof RateLimitError) await afterRefusal(error, counts, { request, tries, signal }, options)
      else await afterFailure(error, counts, { request, tries, signal }, options)
    }
  }
}

type Counts = { failures: number; refusals: number }
type Tried = Tries & { readonly request: RequestedUrl }

async function afterRefusal(
  error: RateLimitError,
  counts: Counts,
  { request, tries, signal }: Tried,
  options: RetryOptions,
): Promise<void> {
  counts.refusals = error.isPartial ? 1 : counts.refusals + 1
  const attempt = counts.failures + counts.refusals
  if (counts.refusals > mostRefusals * tries) throw afterTries(error, attempt)
  if (options.isLimited) reportRefusal(error, { request, attempt }, options)
  else await backOff(error, { request, failures: counts.refusals, attempt, signal, noted: notedNothing }, options)
}

async function afterFailure(
  error: TransportError,
  counts: Counts,
  { request, tries, signal }: Tried,
  options: RetryOptions,
): Promise<void> {
  counts.failures++
  const attempt = counts.failures + counts.refusals
  const noted = options.firstContact.noteFailure(error)
  if (isOver(noted, counts.failures, tries)) throw afterTries(error, attempt)
  await backOff(error, { request, failures: counts.failures, attempt, signal, noted }, options)
}

/** The rate limit decides how long the next try waits. */
function reportRefusal(
  { message, retryAfterMs = 0 }: RateLimitError,
  { request, attempt }: { request: RequestedUrl; attempt: number },
  { onRetry }: RetryOptions,
): void {
  onRetry?.({ url: request.url, attempt, waitMs: retryAfterMs, reason: message, limited: true })
}

/** Until the first contact the time counts, not the tries. */
function isOver({ leftMs }: Noted, failures: number, tries: number): boolean {
  return leftMs === null ? failures >= tries : leftMs === 0
}

function isRetryable(error: unknown): error is TransportError {
  return error instanceof TransportError && error.retryable
}

type Failed = {
  readonly request: RequestedUrl
  /** Failures of this kind, from 1. */
  readonly failures: number
  readonly attempt: number
  readonly signal: AbortSignal
  readonly noted: Noted
}

async function backOff(
  error: TransportError,
  { request, failures, attempt, signal, noted: { unreached, leftMs } }: Failed,
  { backoff, cooldown, patience, onRetry, random }: RetryOptions,
): Promise<void> {
  const ownMs = Math.min(backoffMs(failures, backoff, random), leftMs ?? Number.POSITIVE_INFINITY)
  // "Too many requests": all requests to the endpoint wait, not only this one.
  if (error instanceof RateLimitError) cooldown.extend(Math.max(ownMs, error.retryAfterMs ?? 0))
  // The wait after a failure is our own: only what the source dictates may be too long.
  const dictatedMs = cooldown.leftMs()
  patience.allow(dictatedMs, 'Retry-After')
  const waitMs = Math.max(ownMs, dictatedMs)
  const more = {
    ...(error instanceof RateLimitError ? { limited: true as const } : {}),
    ...(unreached === null ? {} : { unreached }),
  }
  onRetry?.({ url: request.url, attempt, waitMs: Math.round(waitMs), reason: error.message, ...more })
  await pause(waitMs, signal)
}
