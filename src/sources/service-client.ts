import { isAscii } from 'node:buffer'
import type { ServiceRequest } from '../define/index.ts'
import { ConfigError } from '../errors.ts'
import { createRateLimit, type RateLimit, type RateLimitOptions } from '../fetch/rate-limit.ts'
import { type Answer, createTransport, type Retry, type Transport, type TransportOptions } from '../fetch/transport.ts'
import { keyHeaders } from '../lib/key-headers.ts'
import { parseExactJson } from '../lib/text/json.ts'
import type { ServiceProfile } from './service-profile.ts'

/** What a host grants in a day. */
export type UnitBudget = {
  /** Takes the units of a request before it is sent. Throws `PostponedError` when the day's are spent. */
  take(units: number): Promise<void>
  /** Gives back those of a request that was not sent. */
  back(units: number): void
}

export type ServiceClientOptions = {
  readonly profile: ServiceProfile
  /** Requests under way at each host. Default 4. */
  readonly concurrency?: number
  readonly timeoutMs?: number
  /** Tries before a request fails; refusals for the rate limit count apart. */
  readonly tries?: number
  /** Longest single wait in milliseconds that a host can dictate. */
  readonly maxWaitMs?: number
  readonly onRetry?: (retry: Retry) => void
  readonly onRequest?: TransportOptions['onRequest']
  readonly onLongWait?: TransportOptions['onLongWait']
  /** Of the hosts that have one. */
  readonly budgets?: Readonly<Partial<Record<ServiceRequest['host'], UnitBudget>>>
  /** The rate limit of a host; by default one of this client's own. */
  readonly rateLimit?: (host: ServiceRequest['host'], options: RateLimitOptions) => RateLimit
  /** Length of the window in which the service counts units. Default a minute. */
  readonly limitWindowMs?: number
}

export type ServiceClient = {
  /**
   * Asks the data or the metrics host and gives what `parse` makes of the answer's JSON. Throws what `parse` throws if that is
   * a `ChainlakeError` that is not retryable, `TransportError`s when tries are used up or the service refuses, and the
   * signal's reason.
   */
  ask<T>(
    request: ServiceRequest,
    options: { readonly signal?: AbortSignal; readonly parse: (answer: unknown) => T },
  ): Promise<T>
  /** Answers so far, and how many of them were refusals for the rate limit. */
  requests(): { readonly answers: number; readonly refused429: number }
  close(): Promise<void>
}

/**
 * 409 is a refusal for the rate limit too: the service was seen to answer so when asked too often (real-service.md (d) 5), and
 * routes that only read have nothing else to conflict with.
 */
const refusals = [429, 409]

type Host = ServiceRequest['host']

/** Opens connections to the hosts of a profile. Nothing is sent yet. Throws `ConfigError` for a URL or key that is malformed. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { profile, rateLimit = (_, limit) => createRateLimit(limit) } = options
  if (profile.key !== null && !/^[\x21-\x7e]+$/.test(profile.key))
    throw new ConfigError(`The API key of the profile ${profile.name} cannot be sent in a header.`, {
      code: 'config.key',
      hint: 'It has to be one word of ASCII; look for spaces and line ends in the environment variable or file.',
    })
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(profile.keyHeader))
    throw new ConfigError(`${JSON.stringify(profile.keyHeader)} is not the name of a header.`, {
      code: 'config.key',
      details: { profile: profile.name },
      hint: `Give the header that carries the key, such as ${keyHeaders.specified}.`,
    })
  const counts = { answers: 0, refused429: 0 }
  const hosts: Readonly<Record<Host, Transport>> = { data: open('data', options), metrics: open('metrics', options) }

  function open(
    host: Host,
    { concurrency, timeoutMs, tries, maxWaitMs, onRetry, onRequest, onLongWait }: ServiceClientOptions,
  ): Transport {
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
      rateLimit: withinBudget(
        options.budgets?.[host],
        counting(
          rateLimit(host, {
            unitsPerMinute: profile.unitsPerMinute[host],
            refusals,
            ...(options.limitWindowMs === undefined ? {} : { windowMs: options.limitWindowMs }),
          }),
        ),
      ),
      advice: adviceOf(profile, host),
    })
  }

  function counting(limit: RateLimit): RateLimit {
    return {
      ...limit,
      report(grant, answer) {
        if (answer !== null) counts.answers += 1
        if (answer !== null && refusals.includes(answer.status)) counts.refused429 += 1
        limit.report(grant, answer)
      },
    }
  }

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
        cost: profile.weights[host][weight],
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

const withoutRoute: Readonly<Record<Host, string>> = {
  data: 'Leave the job out, or give a service that has it with --data-url and check the ids of the job there.',
  metrics: 'Leave the job out, or give a service that has it with --metrics-url and check the ids of the job there.',
}

/** Units of the day are taken for each request that is sent, also for one that is refused: what that costs nobody says. */
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

/** A list becomes a repeated key (real-service.md (b)); what is undefined is left out. */
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
  const slower = unitsPerMinute[host] === null ? 'Say' : 'Lower'
  const limits = `${slower} how many units a minute the profile ${name} has, or use a key with a higher limit.`
  return {
    400: `The answer says what is wrong; check the parameters of the job.`,
    401:
      key === null
        ? `Give the profile ${name} a key, from the environment or a file; it is sent as ${keyHeader}.`
        : `The key of the profile ${name} is not known to the service, or ${keyHeader} is not the header it wants; the provider's console has both.`,
    403: `The key of the profile ${name} may not do this; look at its rights in the provider's console.`,
    404: `The route is gone or what it names does not exist: check the ids of the job, and URLs and paths of the profile ${name}.`,
    409: limits,
    429: limits,
  }
}
