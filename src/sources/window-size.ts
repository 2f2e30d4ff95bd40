import type { Connection } from '../define/connection.ts'
import {
  type ErrorFacts,
  errorKind,
  HttpError,
  RateLimitError,
  RpcError,
  TimeoutError,
  TransportError,
} from '../errors.ts'
import { backoffMs } from '../fetch/waits.ts'
import { pause } from '../lib/wait.ts'

/**
 * How many units a request may hold: containers of an index, calls of a batch, blocks of a range of logs. Each node and provider has its own
 * limits, and its own words for them.
 */

/** The node's own limit (specification 4.5). */
const maxWindow = 1024

/** A larger answer shrinks the window: large answers are no faster and fragment the memory. */
export const goodAnswerBytes = 512 * 1024

/** Size limit of an answer in bytes, except for the answer with a single container. */
export const maxAnswerBytes = 8 * 1024 * 1024

/** Number of good answers before a request may again have as many units as one that was refused. It doubles with each further refusal. */
const patienceOfNodes = 64
const mostPatience = 4096

/** Decides how many coordinates of a range one window has. */
export type WindowSize = {
  /** From 1 on. */
  current(): number
  /** Reports an answer for `length` coordinates; `amount`: its size, such as bytes. */
  answered(length: number, amount: number): void
  /** Reports that `length` coordinates were too many for one request. */
  tooLarge(length: number): void
}

type WindowBounds = {
  readonly first: number
  /** Default: `first`. */
  readonly largest?: number
  /** Larger answers shrink the window; answers below half of this size grow it. Default: the size does not matter. */
  readonly good?: number
  /** Maximum factor by which the next window may be longer. Default 2. */
  readonly growth?: number
  /** Number of good answers before windows may again be as long as one that was too large. Default: that of nodes. */
  readonly patience?: number
}

/** Adapts the window to the size of the answers, since parts of a range may be dense and others sparse. */
export function adaptWindows(bounds: WindowBounds): WindowSize {
  const { first, largest = first, good = Number.POSITIVE_INFINITY, growth = 2, patience = patienceOfNodes } = bounds
  let size = Math.max(1, Math.min(first, largest))
  /** Current upper bound of the window, the length that set it, and the number of good answers since then. */
  let bound = largest
  let failed = Number.POSITIVE_INFINITY
  let goodAnswers = 0
  let needed = patience
  return {
    current: () => size,
    answered(length, amount) {
      if (length === 0) return
      if ((needed === 0 || length >= size) && ++goodAnswers > needed) bound = largest
      if (length >= failed) [failed, needed] = [Number.POSITIVE_INFINITY, patience]
      const fits = Math.max(1, Math.floor((good * length) / Math.max(1, amount)))
      if (amount > good) size = Math.min(size, fits)
      else if (length >= size && amount < good / 2) size = Math.max(size, Math.min(bound, size * growth, fits))
    },
    tooLarge(length) {
      // Several windows of the same length are under way.
      if (length >= failed && size <= length / 2 && bound < largest) return
      if (length >= failed) needed = Math.min(mostPatience, needed * 2)
      size = Math.min(size, Math.max(1, Math.floor(length / 2)))
      bound = size
      failed = length
      goodAnswers = 0
    },
  }
}

/** Number of concurrent windows with the full size. */
const fullWindows = 8

/**
 * Windows of containers or blocks, measured in bytes of their answers, which stay below 8 MiB. If more than eight windows are `underWay` at
 * the same time, each is smaller, so that together they take no more memory. `most`: the largest window.
 */
export function createWindowSize(underWay = 1, most = maxWindow): WindowSize {
  const share = Math.min(1, fullWindows / underWay)
  const largest = Math.max(1, Math.floor(most * share))
  return adaptWindows({ first: largest, good: goodAnswerBytes * share })
}

/** How often a request is sent that can still be cut into smaller ones. */
export const triesToCut = 2

type WhatFits<T> = {
  readonly size: WindowSize
  readonly count: number
  /** Requests so many units at once, with at most so many tries (default: those of the connection). */
  readonly ask: (count: number, tries?: number) => Promise<T>
  /** Number of units that stay in one request where it may have as many. Default 1. */
  readonly together?: number
  /** The refusal of the first unit in an answer. Default: refusals are thrown. */
  readonly refusalIn?: (answer: T) => RpcError | null
}

/**
 * Requests `count` units at once. If that is refused, and the number may be the reason, it requests the smallest number of units. If this is
 * refused likewise, the number was not the reason: the request gets its ordinary tries. Otherwise the size shrinks, and the answer has `count`
 * units only. Null: the size has shrunk in the meantime, so fewer units must be requested.
 */
export async function askWhatFits<T>(
  wish: WhatFits<T>,
): Promise<{ readonly count: number; readonly answer: T } | null> {
  const { size, count, ask } = wish
  if (count <= 1) return { count, answer: await ask(count) }
  try {
    return { count, answer: await ask(count, triesToCut) }
  } catch (error) {
    const isUnknown = error instanceof RpcError && error.rpcCode === methodNotFound
    const canTell = error instanceof TransportError && (mayBeSize(error) || isUnknown)
    if (!canTell) return { count, answer: await unlessLasting(error, () => ask(count)) }
    if (size.current() < count) return null
    if (error.kind === 'too large') {
      size.tooLarge(count)
      return null
    }
    const fewest = await askFewest(wish, error)
    if (fewest === null) return { count, answer: await unlessLasting(error, () => ask(count)) }
    // A failure that passes may have ended in between: then the size shrinks by half only.
    size.tooLarge(error.retryable ? count : fewest.refused)
    return fewest
  }
}

/** The answer with the smallest number of units, and the next number, which was refused; null if it is refused like more of them. */
async function askFewest<T>({ ask, count, together = 1, refusalIn }: WhatFits<T>, error: TransportError) {
  let refused = count
  for (const fewer of count > together && together > 1 ? [together, 1] : [1]) {
    const answer = await ask(fewer, triesToCut).catch((second: unknown) => {
      // Errors of sources about what an answer says have other codes.
      const isTransport = second instanceof TransportError && second.code.startsWith('transport.')
      if (!isTransport || (second instanceof RpcError && !isAlike(second, error))) throw second
      if (second.retryable && !error.retryable) throw second
      return null
    })
    if (answer !== null && !isAlike(refusalIn?.(answer) ?? null, error)) return { count: fewer, answer, refused }
    refused = fewer
  }
  return null
}

/** Requests again, with the usual number of tries, after a failure that may pass. */
export async function unlessLasting<T>(error: unknown, ask: () => Promise<T>): Promise<T> {
  if (error instanceof TransportError && error.kind === 'transient') return await ask()
  throw error
}

type EachUnit<U, O> = {
  readonly units: readonly U[]
  readonly size: WindowSize
  /** Requests units at once and returns the outcome of each. */
  readonly send: (units: readonly U[], tries?: number) => Promise<readonly O[]>
  /** Why a unit was refused, while others were answered; null if it was not. */
  readonly refusalIn: (outcome: O) => RpcError | null
  /** Number of units that belong together: they stay in one request where it may have as many. Default 1. */
  readonly together?: number
}

/**
 * The outcomes of all units, however many the server takes at once. Units that it refuses among others are requested again alone: only then a
 * refusal is their outcome.
 */
export async function askEach<U, O>(wish: EachUnit<U, O>): Promise<O[]> {
  const { units, size, send, refusalIn, together = 1 } = wish
  const outcomes = new Map<number, O>()
  let open = [...units.keys()]
  while (open.length > 0) {
    const most = size.current()
    const count = Math.min(open.length, most > together ? most - (most % together) : most)
    const answered = await askWhatFits({
      size,
      count,
      together,
      ask: (count, tries) =>
        send(
          open.slice(0, count).map((at) => units[at]!),
          tries,
        ),
      refusalIn: ([outcome]) => refusalIn(outcome!),
    })
    if (answered === null) continue
    const refused = new Map<number, O>()
    for (const [at, outcome] of answered.answer.entries()) {
      const isRefused = answered.count > 1 && mayBeSize(refusalIn(outcome))
      if (isRefused) refused.set(open[at]!, outcome)
      else outcomes.set(open[at]!, outcome)
    }
    for (const [at, outcome] of await settled(refused, wish, answered.count)) outcomes.set(at, outcome)
    open = open.filter((at) => !outcomes.has(at))
  }
  return units.map((_, at) => outcomes.get(at)!)
}

/**
 * Requests refused units again, the first of each kind of refusal alone. If it is refused likewise, that is the outcome of all of its kind.
 * Otherwise the request had too many units, and the others stay open.
 */
async function settled<U, O>(
  refused: ReadonlyMap<number, O>,
  wish: EachUnit<U, O>,
  count: number,
): Promise<ReadonlyMap<number, O>> {
  const { units, size, send, refusalIn } = wish
  const [first] = refused
  if (first === undefined) return refused
  const [at, outcome] = first
  const [alone] = await send([units[at]!])
  if (!isAlike(refusalIn(alone!), refusalIn(outcome))) {
    size.tooLarge(count)
    return new Map([[at, alone!]])
  }
  const isLikeFirst = ([, each]: [number, O]) => isAlike(refusalIn(each), refusalIn(outcome))
  const others = new Map([...refused].filter((each) => !isLikeFirst(each)))
  return new Map([...[...refused].filter(isLikeFirst), ...(await settled(others, wish, count))])
}

/** Failures of requests that the server may have given up because of their size. */
const perhapsBySize: ReadonlySet<unknown> = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
])
const connecting: ReadonlySet<unknown> = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'])

/**
 * Whether a request may have failed because it has too many units. No list of words could tell: whoever has more than one unit finds out by
 * requesting one.
 */
export function mayBeSize(error: unknown): error is TransportError {
  if (!(error instanceof TransportError)) return false
  if (error instanceof RpcError)
    return !['lagging', 'pruned'].includes(error.kind) && error.rpcCode !== methodNotFound && !isReverted(error)
  if (error instanceof HttpError)
    return (
      error.status >= 400 &&
      ![401, 402].includes(error.status) &&
      !['transport.bootstrapping', 'transport.no-index'].includes(error.code)
    )
  if (error instanceof TimeoutError) return !connecting.has(error.details['cause'])
  if (error instanceof RateLimitError) return true
  if (error.code === 'transport.connection') return perhapsBySize.has(error.details['cause'])
  return error.kind === 'too large' || error.code === 'transport.unreadable'
}

/** Whether a node executed a call, which reverted. */
const isReverted = ({ rpcCode, answer }: RpcError): boolean => rpcCode === 3 || /revert/i.test(answer)

/** The method is missing, or the server does not know what a batch is. */
export const methodNotFound = -32_601

/** Whether two requests were refused for the same reason. Messages differ in numbers, such as ids of requests. */
function isAlike(one: unknown, other: unknown): boolean {
  if (!(one instanceof RpcError)) return one !== null && !(other instanceof RpcError)
  return other instanceof RpcError && one.rpcCode === other.rpcCode && wordsOf(one) === wordsOf(other)
}

function wordsOf({ answer }: RpcError): string {
  return answer.replace(/\b(0x)?[0-9a-f-]*\d[0-9a-f-]*\b/gi, '')
}

/** Whether the node, or a gateway in front of it, had too little time for the answer. */
export function isTimedOut(error: unknown): boolean {
  if (error instanceof TimeoutError || (error instanceof HttpError && error.status === 504)) return true
  return error instanceof RpcError && /timed? ?out|deadline exceeded/i.test(error.answer)
}

/** The error of a source when a window holds more than the node returns or than fits in memory: the run requests shorter windows instead. */
export function windowTooLarge(message: string, details: ErrorFacts): TransportError {
  return new TransportError(message, { code: 'transport.window', details })
}

/** How often, and after which wait, a source sends a request again to a node that lags behind. */
export type LagOptions = {
  /** How often a request is sent that the node answers as if it lagged behind. Default: that of the connection. */
  readonly tries?: number
  /** Bound of the wait before the second of these tries; it doubles up to 10 s. Default 500 ms. */
  readonly waitMs?: number
}

/** The patience of a run with a node that lags behind. */
export function patienceOf(connection: Pick<Connection, 'tries'>, { tries, waitMs = 500 }: LagOptions) {
  return { tries: tries ?? connection.tries ?? 4, waitMs }
}

type Patience = Required<LagOptions> & {
  /** How often a request is sent that the node answers as if it failed at the moment. Default: `tries`. */
  readonly outageTries?: number | undefined
}

/**
 * Requests again from a node that lags behind, or says that it fails at the moment, until an attempt succeeds, fails in another way, or the tries are
 * used up. `mayLack` is true for the last attempt at a node that lags behind: the node was asked often enough to say that what it still does not
 * return is not there. A node that is asked only once may lag behind.
 */
export async function askAgain<T>(
  attempt: (mayLack: boolean) => Promise<T>,
  { tries, waitMs, outageTries = tries }: Patience,
  signal: AbortSignal | undefined,
): Promise<T> {
  const failed = { lag: 0, outage: 0 }
  const most = { lag: tries, outage: outageTries }
  while (true) {
    try {
      return await attempt(failed.lag > 0 && failed.lag + 1 >= tries)
    } catch (error) {
      const kind = errorKind(error) === 'lagging' ? 'lag' : saysOutage(error) ? 'outage' : null
      if (kind === null || ++failed[kind] >= most[kind]) throw error
      await pause(backoffMs(failed.lag + failed.outage, { baseMs: waitMs, maxMs: 10_000 }), signal)
    }
  }
}

/** Whether only the words of an answer say that it may pass: then the connection has not requested it again. */
function saysOutage(error: unknown): boolean {
  return error instanceof RpcError && !error.passes && (error.kind === 'transient' || error.isVague)
}

/** Requests again, a few times, where the node says that it fails at the moment. */
export function unlessOutage<T>(attempt: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return askAgain(attempt, { tries: 1, waitMs: 500, outageTries: 4 }, signal)
}
