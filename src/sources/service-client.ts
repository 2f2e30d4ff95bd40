import { isAscii } from 'node:buffer'
import type { Answer } from '../define/connection.ts'
import type { ServiceRequest } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { createRateLimit, type RateLimit, type RateLimitOptions } from '../fetch/rate-limit.ts'
import { createTransport, type Retry, type Transport, type TransportOptions } from '../fetch/transport.ts'
import { keyHeaders } from '../lib/key-headers.ts'
import { parseExactJson } from '../lib/text/json.ts'
import type { ServiceProfile } from './service-profile.ts'

/** The units that a host grants per day. */
export type UnitBudget = {
  /** Takes the units of a request before it is sent. Throws `PostponedError` when the units of the day are spent. */
  take(units: number): Promise<void>
  /** Gives back the units of a request that was not sent. */
  back(units: number): void
}

export type ServiceClientOptions = {
  readonly profile: ServiceProfile
  /** Concurrent requests per host. Default 4. */
  readonly concurrency?: number
  readonly timeoutMs?: number
  /** Tries before a request fails; refusals because of the rate limit count separately. */
  readonly tries?: number
  /** Longest single wait in milliseconds that a host can dictate. */
  readonly maxWaitMs?: number
  readonly onRetry?: (retry: Retry) => void
  readonly onRequest?: TransportOptions['onRequest']
  readonly onLongWait?: TransportOptions['onLongWait']
  /** Budgets of the hosts that have one. */
  readonly budgets?: Readonly<Partial<Record<ServiceRequest['host'], UnitBudget>>>
  /** The rate limit of a host. Default: one of its own for this client. */
  readonly rateLimit?: (host: ServiceRequest['host'], options: RateLimitOptions) => RateLimit
  /** Length of the window in which the service counts units. Default one minute. */
  readonly limitWindowMs?: number
}

export type ServiceClient = {
  /**
   * Sends a request to the data or metrics host and returns what `parse` makes of the answer's JSON. Throws the error of `parse` if it is a
   * `ChainlakeError` that is not retryable, a `TransportError` when the tries are used up or the service refuses, and the signal's reason.
   */
  ask<T>(
    request: ServiceRequest,
    options: { readonly signal?: AbortSignal; readonly parse: (answer: unknown) => T },
  ): Promise<T>
  /** Number of answers so far, and how many of them were refusals because of the rate limit. */
  requests(): { readonly answers: number; readonly refused429: number }
  close(): Promise<void>
}

/**
 * 409 is a refusal because of the rate limit too: the service has answered so after too many requests (real-service.md (d) 5), and a route
 * that only reads has nothing else to conflict with.
 */
const refusals = [429, 409]

type Host = ServiceRequest['host']

/** Opens connections to the hosts of a profile. Sends nothing yet. Throws `ConfigError` for a malformed URL or key. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  checkKey(options.profile)
  const counts = { answers: 0, refused429: 0 }
  const hosts: Readonly<Record<Host, Transport>> = {
    data: open('data', options, counts),
    metrics: open('metrics', options, counts),
  }
  const { weights } = options.profile
  return {
    ask: ({ host, method, path, query, body, weight, gone }, { signal, parse }) =>
      hosts[host].request({
        method,
        path: path + queryText(query),
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        cost: weights[host][weight],
        label: `${method} ${path}`,
        ...(gone === undefined ? {} : { advice: { 404: `${gone} ${withoutRoute[host]}` } }),
        ...(signal === undefined ? {} : { signal }),
        parse: (answer) => parse(jsonOf(answer)),
      }),
    requests: () => ({ ...counts }),
    async close() {
      await Promise.all([hosts.data.close(), hosts.metrics.close()])
    },
  }
}

function checkKey({ name, key, keyHeader }: ServiceProfile): void {
  if (key !== null && !/^[\x21-\x7e]+$/.test(key))
    throw new ConfigError(`The API key of the profile ${name} cannot be sent in a header.`, {
      code: 'config.key',
      hint: 'The key must be one word of ASCII characters. Look for spaces and line breaks in the environment variable or file.',
    })
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(keyHeader))
    throw new ConfigError(`${JSON.stringify(keyHeader)} is not the name of a header.`, {
      code: 'config.key',
      details: { profile: name },
      hint: `Give the name of the header that carries the key, such as ${keyHeaders.specified}.`,
    })
}

type Counts = { answers: number; refused429: number }

function open(host: Host, options: ServiceClientOptions, counts: Counts): Transport {
  const { profile, concurrency, timeoutMs, tries, maxWaitMs, onRetry, onRequest, onLongWait } = options
  return createTransport({
    baseUrl: host === 'data' ? profile.dataUrl : profile.metricsUrl,
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(tries === undefined ? {} : { tries }),
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
    ...(onRetry === undefined ? {} : { onRetry }),
    ...(onRequest === undefined ? {} : { onRequest }),
    ...(onLongWait === undefined ? {} : { onLongWait }),
    // Redirects are not followed, so the key reaches no other origin.
    headers: host === 'data' && profile.key !== null ? { [profile.keyHeader]: profile.key } : {},
    secrets: profile.key === null ? [] : [profile.key],
    rateLimit: rateLimitOf(host, options, counts),
    advice: adviceOf(profile, host),
  })
}

function rateLimitOf(host: Host, options: ServiceClientOptions, counts: Counts): RateLimit {
  const { profile, budgets, limitWindowMs, rateLimit = (_, limit) => createRateLimit(limit) } = options
  const limit = rateLimit(host, {
    unitsPerMinute: profile.unitsPerMinute[host],
    refusals,
    ...(limitWindowMs === undefined ? {} : { windowMs: limitWindowMs }),
  })
  return withinBudget(budgets?.[host], counting(limit, counts))
}

function counting(limit: RateLimit, counts: Counts): RateLimit {
  return {
    ...limit,
    report(grant, answer) {
      if (answer !== null) counts.answers += 1
      if (answer !== null && refusals.includes(answer.status)) counts.refused429 += 1
      limit.report(grant, answer)
    },
  }
}

const withoutRoute: Readonly<Record<Host, string>> = {
  data: 'Remove the job, or use --data-url to name a service that has the route, and check the ids of the job.',
  metrics: 'Remove the job, or use --metrics-url to name a service that has the route, and check the ids of the job.',
}

/** Each request that is sent takes units of the day, even if it is refused: the cost of a refusal is not documented. */
function withinBudget(budget: UnitBudget | undefined, limit: RateLimit): RateLimit {
  if (budget === undefined) return limit
  return {
    ...limit,
    async acquire(units, signal, patience) {
      await budget.take(units)
      try {
        return await limit.acquire(units, signal, patience)
      } catch (error) {
        budget.back(units)
        throw error
      }
    },
  }
}

/** A list becomes a repeated key (real-service.md (b)); undefined values are left out. */
function queryText(query: ServiceRequest['query']): string {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const one of typeof value === 'object' ? value : [value]) pairs.append(name, textOf(one))
  }
  const text = pairs.toString()
  return text === '' ? '' : `?${text}`
}

/** Numbers as digits: never 1e21. */
function textOf(value: string | number | boolean): string {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value).toString() : String(value)
}

function jsonOf({ body }: Answer): unknown {
  return parseExactJson(isAscii(body) ? body.toString('latin1') : body.toString())
}

function adviceOf({ name, key, keyHeader, unitsPerMinute }: ServiceProfile, host: Host): Record<number, string> {
  const change = unitsPerMinute[host] === null ? 'Set' : 'Lower'
  const limits = `${change} the units per minute of the profile ${name}, or use a key with a higher limit.`
  return {
    400: `See the answer for the reason, and check the parameters of the job.`,
    401:
      key === null
        ? `Give the profile ${name} a key, from the environment or a file. chainlake sends it as ${keyHeader}.`
        : `The service does not know the key of the profile ${name}, or expects another header than ${keyHeader}. The provider's console shows both.`,
    403: `The key of the profile ${name} does not permit this request: check its permissions in the provider's console.`,
    404: `The service no longer has this route, or it does not know an id in it: check the ids of the job, and the URLs and paths of the profile ${name}.`,
    409: limits,
    429: limits,
  }
}
