import { setMaxListeners } from 'node:events'
import PQueue from 'p-queue'
import { Pool } from 'undici'
import {
  type Answer,
  type Connection,
  type ConnectionRequest,
  type ParsedRequest,
  type StatusAdvice,
  succeeded,
} from '../define/connection.ts'
import { ConfigError, TransportError } from '../errors.ts'
import type { Route } from '../lib/proxy.ts'
import { namesProxy } from '../lib/proxy-variables.ts'
import { pause, waitingOutside } from '../lib/wait.ts'
import { acceptedEncoding, attempt, createBodyBuffers, createDeadlines } from './attempt.ts'
import {
  type BaseUrl,
  excerptOf,
  parseBaseUrl,
  type RequestedUrl,
  redactUrl,
  requestedUrl,
  statusFailure,
  unreadable,
  userAgent,
  withoutSecrets,
} from './failures.ts'
import type { RateLimit } from './limits.ts'
import {
  type Backoff,
  type Cooldown,
  createCooldown,
  createFirstContact,
  createPatience,
  type LongWait,
  type Retry,
  retryAfterMs,
  withRetries,
} from './waits.ts'

export type { Retry } from './waits.ts'

export type TransportOptions = {
  /** http or https, with an optional path prefix, query and credentials. */
  readonly baseUrl: string
  /** Largest number of concurrent requests, and of connections. Default 4. */
  readonly concurrency?: number
  /** Longest wait for a connection, for the head of the answer, and between two chunks of its body. Default 30 s. */
  readonly timeoutMs?: number
  /** Longest duration of one try, from its start to the last byte. Default four times `timeoutMs`. */
  readonly totalTimeoutMs?: number
  /** Tries before a request fails. Default 8. */
  readonly tries?: number
  /** How long refused connections are retried before the first answer, in milliseconds, however many tries. Default: as long as tries are left. */
  readonly firstContactMs?: number | undefined
  /** Default: up to 250 ms after the first failure, doubling up to 30 s. */
  readonly backoff?: Backoff
  /** Longest single wait that the service can dictate; a longer one fails with a `PostponedError`. Default 15 minutes. */
  readonly maxWaitMs?: number
  /** Called once for a wait of more than five minutes. */
  readonly onLongWait?: (wait: LongWait) => void
  /** Largest answer in bytes, decompressed. Default 64 MiB. */
  readonly maxBytes?: number
  /** Shared by all clients of the same endpoint. Default: a cooldown of its own. */
  readonly cooldown?: Cooldown
  /** Grants each try and receives each answer. Requests that it counts as refused wait in the rate limit, without a backoff. */
  readonly rateLimit?: RateLimit
  /** Sent with every request, such as one with an API key. */
  readonly headers?: Readonly<Record<string, string>>
  /** Texts that must not appear in messages. */
  readonly secrets?: readonly string[]
  /** Hints for errors of a REST service. Default: hints about nodes. */
  readonly advice?: StatusAdvice
  /** Called before each wait. */
  readonly onRetry?: (retry: Retry) => void
  /** Called for each try that is sent, with its cost in units. */
  readonly onRequest?: (cost: number, origin: string) => void
}

export type Transport = Connection & {
  /** Closes the connections and fails the requests that are under way. */
  close(): Promise<void>
}

/** Opens a pool of connections to one service. Sends nothing yet. Throws `ConfigError` for a malformed URL. */
export function createTransport(options: TransportOptions): Transport {
  const { rateLimit, cooldown = createCooldown(), concurrency = 4, tries: usualTries = 8, secrets = [] } = options
  const ofUrl = parseBaseUrl(options.baseUrl)
  const base = { ...ofUrl, secrets: [...ofUrl.secrets, ...secrets.filter((secret) => secret !== '')] }
  const sender = createSender(base, options)
  const queue = new PQueue({ concurrency })
  const underWay = new Set<AbortController>()
  let closed = false
  const patience = createPatience({ ...options, url: redactUrl(options.baseUrl) })
  const firstContact = createFirstContact(options.firstContactMs ?? null)
  const retrying = {
    backoff: options.backoff ?? { baseMs: 250, maxMs: 30_000 },
    cooldown,
    patience,
    firstContact,
    isLimited: rateLimit !== undefined,
    onRetry: options.onRetry,
  }

  /** Sends a request only after the endpoint's cooldown has ended and the rate limit has granted its units. */
  async function send(request: ConnectionRequest, signal: AbortSignal): Promise<Answer> {
    for (let leftMs = cooldown.leftMs(); leftMs > 0; leftMs = cooldown.leftMs()) {
      patience.allow(leftMs, 'Retry-After')
      await pause(leftMs, signal)
    }
    if (rateLimit === undefined) return sender.send(request, signal)
    const grant = await rateLimit.acquire(request.cost ?? 0, signal, patience)
    let answer: Answer | null = null
    try {
      answer = await sender.send(request, signal)
      return answer
    } finally {
      rateLimit.report(grant, answer)
    }
  }

  async function once<T>(request: ParsedRequest<T>, requested: RequestedUrl, signal: AbortSignal): Promise<T> {
    const answer = await send(request, signal)
    firstContact.made()
    try {
      if ((request.accept ?? succeeded)(answer.status)) return parsed(request.parse, answer, requested)
      const dictatedMs = retryAfterMs(answer.headers['retry-after'], Date.now())
      const isLimited = answer.status === 429 || rateLimit?.refusals.includes(answer.status) === true
      // The wait that an answer demands of all requests.
      if (dictatedMs !== undefined && !(isLimited && rateLimit !== undefined)) cooldown.extend(dictatedMs)
      const said = parsed(request.parseRefusal ?? (() => null), answer, requested)
      if (said !== null) return said.result
      const advice = { ...options.advice, ...request.advice }
      throw statusFailure(answer, requested, base, { isLimited, retryAfterMs: dictatedMs, advice })
    } finally {
      sender.giveBack(answer)
    }
  }

  function parsed<T>(parse: (answer: Answer) => T, answer: Answer, requested: RequestedUrl): T {
    try {
      return parse(answer)
    } catch (error) {
      throw unreadable(error, requested, excerptOf(answer.body, base.secrets))
    }
  }

  async function request<T>(given: ConnectionRequest & { parse?: (answer: Answer) => T }): Promise<T | Answer> {
    if (closed) throw closedError(base)
    const cancel = new AbortController()
    const outer = given.signal
    const onAbort = () => cancel.abort(outer?.reason)
    outer?.throwIfAborted()
    // Many requests share one signal; each removes its listener when it ends.
    if (outer !== undefined) setMaxListeners(0, outer)
    outer?.addEventListener('abort', onAbort, { once: true })
    underWay.add(cancel)
    const { signal } = cancel
    const requested = requestedUrl(base.origin + pathOf(base, given.path), given.label)
    const tries = Math.min(given.tries ?? usualTries, usualTries)
    const owned = (answer: Answer): Answer => ({ ...answer, body: Buffer.from(answer.body) })
    const tryOnce = () => queue.add(() => once<T | Answer>({ parse: owned, ...given }, requested, signal), { signal })
    try {
      return await waitingOutside(() => withRetries(tryOnce, requested, { ...retrying, tries, signal }))
    } finally {
      underWay.delete(cancel)
      outer?.removeEventListener('abort', onAbort)
    }
  }

  return {
    url: redactUrl(options.baseUrl),
    tries: usualTries,
    redact: (text) => withoutSecrets(text, base.secrets),
    request: request as Transport['request'],
    async close() {
      closed = true
      for (const cancel of underWay) cancel.abort(closedError(base))
      await sender.close()
    },
  }
}

/** Sends requests over a pool of connections, each of them once. Through a proxy where a variable names one. */
function createSender(base: BaseUrl, options: TransportOptions) {
  const { concurrency = 4, timeoutMs = 30_000, totalTimeoutMs = timeoutMs * 4, tries = 8 } = options
  const { maxBytes: usualBytes = 64 * 1024 * 1024 } = options
  for (const [name, value] of Object.entries({ concurrency, timeoutMs, tries }))
    if (!Number.isSafeInteger(value) || value < 1) throw new ConfigError(`${name} is ${value}, not a positive integer.`)
  const openPool = (route: Route | null) => ({
    route,
    pool: new Pool(route?.origin ?? base.origin, {
      connections: concurrency,
      pipelining: 1,
      allowH2: false,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      keepAliveTimeout: 10_000,
      ...(route === null ? { connectTimeout: timeoutMs } : { connect: route.connect }),
    }),
  })
  const opened = namesProxy()
    ? import('../lib/proxy.ts').then(({ routeTo }) => openPool(routeTo(base.origin, timeoutMs)))
    : Promise.resolve(openPool(null))
  // The first request reports a wrong proxy.
  opened.catch(() => undefined)
  const buffers = createBodyBuffers(concurrency)
  const deadlines = createDeadlines(totalTimeoutMs)
  const ownHeaders = {
    'user-agent': userAgent(),
    'accept-encoding': acceptedEncoding,
    ...(base.authorization === null ? {} : { authorization: base.authorization }),
  }
  return {
    send: async (request: ConnectionRequest, signal: AbortSignal): Promise<Answer> => {
      const { pool, route } = await opened
      options.onRequest?.(request.cost ?? 0, base.origin)
      const path = pathOf(base, request.path)
      const answer = await attempt(
        pool,
        {
          method: request.method,
          path: route === null ? path : route.prefix + path,
          headers: { ...ownHeaders, ...options.headers, ...request.headers, ...route?.headers },
          body: typeof request.body === 'function' ? request.body() : (request.body ?? null),
          deadlines,
          maxBytes: request.maxBytes ?? usualBytes,
          buffers,
          signal,
        },
        requestedUrl(base.origin + path, request.label),
      )
      const refusal = route?.refusal(answer.status) ?? null
      if (refusal !== null) throw refusal
      return answer
    },
    /** Takes back the memory of an answer's body. */
    giveBack: (answer: Answer): void => buffers.give(answer.body.buffer),
    close: (): Promise<void> =>
      opened.then(
        ({ pool }) => pool.destroy(),
        () => undefined,
      ),
  }
}

function pathOf(base: BaseUrl, path: string): string {
  if (base.query === '') return base.prefix + path
  return `${base.prefix}${path}${path.includes('?') ? '&' : '?'}${base.query}`
}

function closedError(base: BaseUrl): TransportError {
  return new TransportError(`The connection to ${base.origin} was closed.`, {
    code: 'transport.closed',
  })
}
