import { type Answer, type Asking, succeeded } from '../define/connection.ts'
import type { ServiceAnswer, ServiceRequest } from '../define/index.ts'
import { ConfigError, TransportError } from '../errors.ts'
import { parseBaseUrl, redactUrl } from '../fetch/failures.ts'
import { createRateLimit, type RateLimit, type RateLimitOptions } from '../fetch/limits.ts'
import { createTransport, type TransportOptions } from '../fetch/transport.ts'
import { parseWrittenJson } from '../lib/json.ts'
import { utf8Text } from '../lib/text.ts'
import { profileHosts, type ServiceHost } from './service-profile.ts'

/** The units that a host grants per day. */
export type UnitBudget = {
  /** Takes the units of a request before it is sent. Throws `PostponedError` when the units of the day are spent. */
  take(units: number): Promise<void>
  /** Gives back the units of a request that was not sent. */
  back(units: number): void
}

/** The other options are those of the connection to each host. */
type ServiceClientOptions = Omit<TransportOptions, 'baseUrl' | 'headers' | 'secrets' | 'rateLimit' | 'advice'> & {
  readonly hosts: readonly ServiceHost[]
  /** Budgets of the hosts that have one. */
  readonly budgets?: Readonly<Record<string, UnitBudget | undefined>>
  /** The rate limit of a host. Default: one of its own for this client. */
  readonly rateLimit?: (host: string, options: RateLimitOptions) => RateLimit
}

export type ServiceClient = ReturnType<typeof createServiceClient>

/**
 * 409 is a refusal because of the rate limit too: the service has answered so after too many requests (real-service.md (d) 5), and a route
 * that only reads has nothing else to conflict with.
 */
const refusals = [429, 409]

/** Opens connections to hosts. Sends nothing yet. Throws `ConfigError` for a malformed URL. */
export function createServiceClient(options: ServiceClientOptions) {
  const { hosts, budgets, rateLimit, ...shared } = options
  const open = new Map(
    hosts.map((host) => {
      const { name, url: baseUrl, headers, secrets, advice, unitsPerMinute } = host
      const given = { unitsPerMinute, refusals }
      const limit = withinBudget(budgets?.[name], rateLimit?.(name, given) ?? createRateLimit(given))
      const transport = createTransport({ ...shared, baseUrl, headers, secrets, advice, rateLimit: limit })
      return [name, { host, transport }]
    }),
  )
  return {
    /**
     * Sends a request to its host and returns what `parse` makes of the answer's JSON. Throws the error of `parse` if it is a
     * `ChainlakeError` that is not transient, a `TransportError` when the tries are used up or the service refuses, and the signal's reason.
     */
    ask: <T>(request: ServiceRequest, { signal, parse }: Asking<T>): Promise<T> => {
      const { method, path, query, body, weight, gone, answers } = request
      const { host, transport } = open.get(hostName(request)) ?? notConfigured(request)
      return transport.request({
        method,
        path: path + queryText(query),
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        cost: typeof weight === 'number' ? weight : host.weights[weight],
        label: `${method} ${path}`,
        advice: gone === undefined ? undefined : { 404: `${gone} ${host.withoutRoute}` },
        accept: (status) => succeeded(status) || answers?.includes(status) === true,
        signal,
        parse: (answer) =>
          parse(
            answers === undefined
              ? parseWrittenJson(utf8Text(answer.body))
              : wholeAnswer(answer, (link) => pathOfLink(link, host.url, path)),
          ),
      })
    },
    close: async (): Promise<void> => {
      await Promise.all([...open.values()].map(({ transport }) => transport.close()))
    },
  }
}

export function hostName({ host }: Pick<ServiceRequest, 'host'>): string {
  return typeof host === 'string' ? host : host.service
}

function notConfigured(request: ServiceRequest): never {
  const name = hostName(request)
  throw new ConfigError(`No service ${name} is configured, and the job reads it.`, {
    code: 'config.service',
    details: { request: request.path },
    hint: (profileHosts as readonly string[]).includes(name)
      ? 'Pass --service-profile, or set the key service in chainlake.yaml.'
      : `Declare it in chainlake.yaml: services: { ${name}: { url: … } }.`,
  })
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

const noContent = 204

function wholeAnswer(answer: Answer, pathOf: (link: string) => string): ServiceAnswer {
  const { status, headers } = answer
  const link = nextLink(headers['link'])
  return {
    status,
    next: link === null ? null : pathOf(link),
    json: succeeded(status) && status !== noContent ? parseWrittenJson(utf8Text(answer.body)) : null,
  }
}

/**
 * The target of the link to the next page in a header `Link` (RFC 8288), such as `</items?page=2>; rel="next"`; null without such a link.
 * A target may contain commas, and a relation may be one of several words.
 */
function nextLink(header: string | undefined): string | null {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(/<([^>]*)>((?:\s*;[^,;"]*(?:"[^"]*")?)*)/g)) {
    const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters)
    const words = (relation?.[1] ?? relation?.[2] ?? '').toLowerCase().split(/\s+/)
    if (words.includes('next')) return target
  }
  return null
}

/**
 * Path and query of a link, relative to the base URL of the service, without the query that the base URL adds to each request. `path` is the
 * path of the request. Throws `TransportError` for a link that leads out of the base URL: headers with keys must not go to another origin.
 */
function pathOfLink(link: string, baseUrl: string, path: string): string {
  const { origin, prefix, query } = parseBaseUrl(baseUrl)
  const base = origin + prefix + path
  const target = URL.canParse(link, base) ? new URL(link, base) : null
  if (target === null || target.origin !== origin || !target.pathname.startsWith(`${prefix}/`))
    throw new TransportError('The link to the next page leads to another place than the service.', {
      code: 'transport.link',
      details: { link: target === null ? link.slice(0, 200) : redactUrl(target.href), service: redactUrl(baseUrl) },
      hint: 'Nothing was requested there, because the headers of the service may hold a key. Compare the URL of the service with its documentation.',
    })
  for (const name of new URLSearchParams(query).keys()) target.searchParams.delete(name)
  return target.pathname.slice(prefix.length) + target.search
}
