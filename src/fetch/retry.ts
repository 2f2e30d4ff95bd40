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
  /** The endpoint has not answered yet and refuses connections: whether this is the first such failure. */
  readonly unreached?: Unreached
}

export type RetryOptions = {
  readonly backoff: Backoff
  readonly cooldown: Cooldown
  readonly patience: Patience
  readonly firstContact: FirstContact
  /** A rate limit makes refused requests wait, so refusals count apart from failures. */
  readonly isLimited: boolean
  readonly onRetry: ((retry: Retry) => void) | undefined
  readonly random: () => number
}

type Tries = { readonly tries: number; readonly signal: AbortSignal }

/** Tries until an attempt succeeds, fails in a way that a retry cannot help, or the tries are used up. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  request: RequestedUrl,
  { tries, signal }: Tries,
  options: RetryOptions,
): Promise<T> {
  let failures = 0
  let refusals = 0
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      // Errors of the catalog, which counts units, are not retried here: the catalog has its own waits.
      if (signal.aborted || !isRetryable(error)) throw error
      if (error instanceof RateLimitError && options.isLimited && refusals < 3 * tries) {
        refusals += 1
        reportRefusal(error, { request, attempt: failures + refusals }, options)
        continue
      }
      failures += 1
      const noted = options.firstContact.noteFailure(error)
      if (isOver(noted, failures, tries) || hasRefusedTooOften(error, refusals))
        throw afterTries(error, failures + refusals)
      await backOff(error, { request, failures, signal, noted }, options)
    }
  }
}

/** The rate limit decides how long the next try waits. */
function reportRefusal(
  { message, retryAfterMs = 0 }: RateLimitError,
  { request, attempt }: { request: RequestedUrl; attempt: number },
  { onRetry }: RetryOptions,
): void {
  onRetry?.({ url: request.url, attempt, waitMs: retryAfterMs, reason: message })
}

/** Refusals count as failures only after too many of them. */
function hasRefusedTooOften(error: TransportError, refusals: number): boolean {
  return refusals > 0 && error instanceof RateLimitError
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
  readonly failures: number
  readonly signal: AbortSignal
  readonly noted: Noted
}

async function backOff(
  error: TransportError,
  { request, failures, signal, noted: { unreached, leftMs } }: Failed,
  { backoff, cooldown, patience, onRetry, random }: RetryOptions,
): Promise<void> {
  const ownMs = Math.min(backoffMs(failures, backoff, random), leftMs ?? Number.POSITIVE_INFINITY)
  // "Too many requests" without a time: all requests to the endpoint wait, not only this one.
  if (error instanceof RateLimitError) cooldown.extend(ownMs)
  const waitMs = Math.max(ownMs, cooldown.leftMs())
  patience.allow(waitMs, 'Retry-After')
  const first = unreached === null ? {} : { unreached }
  onRetry?.({ url: request.url, attempt: failures, waitMs: Math.round(waitMs), reason: error.message, ...first })
  await pause(waitMs, signal)
}
