import { setMaxListeners } from 'node:events'
import PQueue from 'p-queue'
import { Pool } from 'undici'
import { ConfigError, RateLimitError, TransportError } from '../errors.ts'
import { waitingOutside } from '../lib/outside-waits.ts'
import { pause } from '../lib/pause.ts'
import { type Answer, attempt, ownedAnswer } from './attempt.ts'
import { type Backoff, backoffMs, retryAfterMs } from './backoff.ts'
import { type BaseUrl, parseBaseUrl, redactUrl } from './base-url.ts'
import { excerptOf, saidBy } from './excerpt.ts'
import { type Asked, afterTries, askedFor, unreadable } from './failures.ts'
import { isForeign } from './foreign-answer.ts'
import { createHold, type Hold } from './hold.ts'
import { createPatience, type LongWait } from './patience.ts'
import type { RateLimit } from './rate-limit.ts'
import { acceptedEncoding, createBodyBuffers } from './read-body.ts'
import type { Retry } from './retry.ts'
import { type StatusAdvice, statusFailure } from './status-failures.ts'
import { userAgent } from './user-agent.ts'

export type { Answer } from './attempt.ts'
export { redactUrl } from './base-url.ts'
export type { Retry } from './retry.ts'

export type TransportOptions = {
  /** http or https, with an optional path prefix, query and credentials. */
  readonly baseUrl: string
  /** Requests under way at the same time, and connections. Default 4. */
  readonly concurrency?: number
  /** Longest wait for a connection, for the answer's head, and between two pieces of its body. Default 30 s. */
  readonly timeoutMs?: number
  /** Longest time of one try from its start to the last byte. Default four times `timeoutMs`. */
  readonly totalTimeoutMs?: number
  /** Tries before a request fails. Default 8. */
  readonly tries?: number
  /** Default: up to 250 ms after the first failure, doubling up to 30 s. */
  readonly backoff?: Backoff
  /** Longest single wait that the service can dictate; a longer one is a `PostponedError`. Default 15 minutes. */
  readonly maxWaitMs?: number
  /** Told once of a wait of more than five minutes. */
  readonly onLongWait?: (wait: LongWait) => void
  /** Largest answer in bytes, decompressed. Default 64 MiB. */
  readonly maxBytes?: number
  /** Shared by all who ask the same place; one of its own when absent. */
  readonly hold?: Hold
  /** Gives leave before each try and is told each answer; what it takes for a refusal waits there and not here. */
  readonly rateLimit?: RateLimit
  /** Sent with every request, such as one with an API key. */
  readonly headers?: Readonly<Record<string, string>>
  /** Texts that no message may hold. */
  readonly secrets?: readonly string[]
  /** What errors of a paginated REST service say; without it they speak of nodes. */
  readonly advice?: StatusAdvice
  /** Called before each wait. */
  readonly onRetry?: (retry: Retry) => void
  /** Told of each request that was sent, each try of it, and its cost in units. */
  readonly onRequest?: (cost: number, origin: string) => void
  /** Source of jitter in [0, 1). */
  readonly random?: () => number
}

export type TransportRequest = {
  readonly method: 'GET' | 'POST'
  /** From the base URL on; begins with `/`, may have a query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly signal?: AbortSignal
  /** What errors call the request, such as an RPC method. */
  readonly label?: string
  /** Fewer or more tries than usual. */
  readonly tries?: number
  /** A smaller or larger bound of the answer than usual, in bytes. */
  readonly maxBytes?: number
  /** Compute units that it costs. Default 0. */
  readonly cost?: number
  /** What errors of this request say in place of the transport's advice. */
  readonly advice?: StatusAdvice
  /** Statuses that are answers. Default: 2xx. */
  readonly accept?: (status: number) => boolean
}

export type ParsedRequest<T> = TransportRequest & {
  /**
   * Makes the result of an answer. What it throws is retried, except a `ChainlakeError` that is not retryable; other
   * errors are those of an answer that cannot be read, a truncated one for instance. The bytes of the answer's body are
   * those of another one as soon as it has returned.
   */
  readonly parse: (answer: Answer) => T
}

export type Transport = {
  /** The base URL, redacted. */
  readonly url: string
  /**
   * Asks until there is a usable answer. Throws `TransportError` or a kind of it when tries are used up or trying again is
   * no use, and the reason of the signal as soon as that is aborted.
   */
  request<T>(request: ParsedRequest<T>): Promise<T>
  request(request: TransportRequest): Promise<Answer>
  /** Ends connections and fails what is under way. */
  close(): Promise<void>
}

const succeeded = (status: number) => status >= 200 && status < 300

/** Opens a pool of connections to one service. Nothing is sent yet. Throws `ConfigError` for a malformed URL. */
export function createTransport(options: TransportOptions): Transport {
  const base = withSecrets(parseBaseUrl(options.baseUrl), options.secrets ?? [])
  const { rateLimit } = options
  const { concurrency = 4, timeoutMs = 30_000, totalTimeoutMs = timeoutMs * 4, tries: usualTries = 8 } = options
  const { maxBytes: usualBytes = 64 * 1024 * 1024, random = Math.random } = options
  const backoff = options.backoff ?? { baseMs: 250, maxMs: 30_000 }
  for (const [name, value] of Object.entries({ concurrency, timeoutMs, tries: usualTries }))
    if (!Number.isSafeInteger(value) || value < 1) throw new ConfigError(`${name} is ${value}, not a positive integer.`)
  const pool = new Pool(base.origin, {
    connections: concurrency,
    pipelining: 1,
    allowH2: false,
    connectTimeout: timeoutMs,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 10_000,
  })
  const queue = new PQueue({ concurrency })
  const { origin } = new URL(options.baseUrl)
  const buffers = createBodyBuffers(concurrency)
  const underWay = new Set<AbortController>()
  let closed = false
  const hold = options.hold ?? createHold()
  const patience = createPatience({
    url: redactUrl(options.baseUrl),
    ...(options.maxWaitMs === undefined ? {} : { maxWaitMs: options.maxWaitMs }),
    ...(options.onLongWait === undefined ? {} : { onLongWait: options.onLongWait }),
  })

  const own = {
    'user-agent': userAgent(),
    'accept-encoding': acceptedEncoding,
    ...(base.authorization === null ? {} : { authorization: base.authorization }),
  }

  async function send(request: TransportRequest, asked: Asked, signal: AbortSignal): Promise<Answer> {
    options.onRequest?.(request.cost ?? 0, origin)
    return attempt(
      pool,
      {
        method: request.method,
        path: pathOf(base, request.path),
        headers: { ...own, ...options.headers, ...request.headers },
        body: request.body ?? null,
        totalMs: totalTimeoutMs,
        maxBytes: request.maxBytes ?? usualBytes,
        buffers,
        signal,
      },
      asked,
    )
  }

  async function sendWithLeave(request: TransportRequest, asked: Asked, signal: AbortSignal): Promise<Answer> {
    if (rateLimit === undefined) return send(request, asked, signal)
    const grant = await rateLimit.acquire(request.cost ?? 0, signal, patience)
    let answer: Answer | null = null
    try {
      answer = await send(request, asked, signal)
      return answer
    } finally {
      rateLimit.report(grant, answer)
    }
  }

  async function once<T>(request: ParsedRequest<T>, asked: Asked, signal: AbortSignal): Promise<T> {
    for (let held = hold.leftMs(); held > 0; held = hold.leftMs()) {
      patience.allow(held, 'Retry-After')
      await pause(held, signal)
    }
    const answer = await sendWithLeave(request, asked, signal)
    try {
      if (!(request.accept ?? succeeded)(answer.status))
        throw refused(answer, asked, { ...options.advice, ...request.advice })
      return parsed(request, answer, asked)
    } finally {
      buffers.give(answer.body.buffer)
    }
  }

  function parsed<T>(request: ParsedRequest<T>, answer: Answer, asked: Asked): T {
    try {
      return request.parse(answer)
    } catch (error) {
      throw unreadable(error, asked, excerptOf(answer.body, base.secrets))
    }
  }

  function refused(answer: Answer, asked: Asked, advice: StatusAdvice): TransportError {
    const asksFor = retryAfterMs(answer.headers['retry-after'], Date.now())
    const limited = answer.status === 429 || rateLimit?.refusals.includes(answer.status) === true
    if (asksFor !== undefined && !(limited && rateLimit !== undefined)) hold.extend(asksFor)
    const { location } = answer.headers
    return statusFailure(
      {
        status: answer.status,
        excerpt: saidBy(answer.body, base.secrets),
        foreign: isForeign(answer),
        location:
          location !== undefined && URL.canParse(location, base.origin)
            ? redactUrl(new URL(location, base.origin).href)
            : undefined,
        retryAfterMs: asksFor,
        limited,
      },
      asked,
      advice,
    )
  }

  async function persist<T>(request: ParsedRequest<T>, signal: AbortSignal): Promise<T> {
    const asked = askedFor(base.origin + pathOf(base, request.path), request.label)
    const tries = request.tries ?? usualTries
    let refusals = 0
    for (let failures = 1; ; failures++) {
      try {
        return await queue.add(() => once(request, asked, signal), { signal })
      } catch (error) {
        // The catalog, which says what may be sent, waits for itself.
        if (signal.aborted || !(error instanceof TransportError) || !error.retryable) throw error
        if (error instanceof RateLimitError && rateLimit !== undefined && refusals < 3 * tries) {
          // The limit makes it wait for leave, and refusals are no sign of a service that is broken: they count apart.
          refusals += 1
          failures -= 1
          options.onRetry?.({
            url: asked.url,
            attempt: failures + refusals,
            waitMs: error.retryAfterMs ?? 0,
            reason: error.message,
          })
          continue
        }
        if (failures >= tries || (refusals > 0 && error instanceof RateLimitError))
          throw afterTries(error, failures + refusals)
        const own = backoffMs(failures, backoff, random)
        // Who is told "too many" without a time makes all requests wait, not only the one that was told.
        if (error instanceof RateLimitError) hold.extend(own)
        const waitMs = Math.max(own, hold.leftMs())
        patience.allow(waitMs, 'Retry-After')
        options.onRetry?.({ url: asked.url, attempt: failures, waitMs: Math.round(waitMs), reason: error.message })
        await pause(waitMs, signal)
      }
    }
  }

  async function request<T>(asking: TransportRequest & { parse?: (answer: Answer) => T }): Promise<T | Answer> {
    if (closed) throw closedError(base)
    const cancel = new AbortController()
    const outer = asking.signal
    const onAbort = () => cancel.abort(outer?.reason)
    outer?.throwIfAborted()
    // Many requests share one signal; each takes its listener off when it ends.
    if (outer !== undefined) setMaxListeners(0, outer)
    outer?.addEventListener('abort', onAbort, { once: true })
    underWay.add(cancel)
    try {
      return await waitingOutside(() => persist<T | Answer>({ parse: ownedAnswer, ...asking }, cancel.signal))
    } finally {
      underWay.delete(cancel)
      outer?.removeEventListener('abort', onAbort)
    }
  }

  return {
    url: redactUrl(options.baseUrl),
    request: request as Transport['request'],
    async close() {
      closed = true
      for (const cancel of underWay) cancel.abort(closedError(base))
      await pool.destroy()
    },
  }
}

function pathOf(base: BaseUrl, path: string): string {
  if (base.query === '') return base.prefix + path
  return `${base.prefix}${path}${path.includes('?') ? '&' : '?'}${base.query}`
}

function withSecrets(base: BaseUrl, secrets: readonly string[]): BaseUrl {
  return { ...base, secrets: [...base.secrets, ...secrets.filter((secret) => secret !== '')] }
}

function closedError(base: BaseUrl): TransportError {
  return new TransportError(`The connection to ${base.origin} was closed.`, {
    code: 'transport.closed',
    retryable: false,
  })
}
