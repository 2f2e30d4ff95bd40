import { hash } from 'node:crypto'
import type { Catalog, SpendingAccount } from '../../catalog/catalog.ts'
import {
  type Endpoint,
  type Facts,
  type NetworkIdentity,
  type Question,
  type ServiceSettings,
  theNode,
} from '../../define/index.ts'
import { ConfigError, PostponedError } from '../../errors.ts'
import { createRateLimit, type RateLimit, type RateLimitOptions } from '../../fetch/limits.ts'
import { createTransport, type Retry, type Transport } from '../../fetch/transport.ts'
import type { Cooldown } from '../../fetch/waits.ts'
import { definedOf, getOrCreate } from '../../lib/arrays.ts'
import { countText } from '../../lib/text.ts'
import { identifyNetwork } from '../../sources/node.ts'
import { createServiceClient, type UnitBudget } from '../../sources/service-client.ts'
import { hostsOf, type ServiceHost, type ServiceProfile, serviceSettings } from '../../sources/service-profile.ts'
import { type EmitEvent, longWaitEvent } from '../events.ts'
import { defaultConcurrency, type NodeOptions } from '../job.ts'

export type ConnectionOptions = NodeOptions & {
  /** Connection settings of the REST service. Required for jobs that read it. */
  readonly service?: ServiceProfile
  /** Services that chainlake.yaml declares. */
  readonly services?: readonly ServiceHost[]
  readonly stop?: AbortSignal
  readonly emit: EmitEvent
  /** Interval between reports of request counts, in milliseconds. Default: every second, and at the end. */
  readonly reportRequestsEveryMs?: number
  /** Returns the cooldown of a base URL that several connections share. Default: each connection has its own. */
  readonly cooldownOf?: (baseUrl: string) => Cooldown
  /** Runs a request for a fact of the streams and retries it when a later attempt may succeed. */
  readonly retry?: <T>(step: () => Promise<T>) => Promise<T>
}

export type Connections = ReturnType<typeof createConnections>

type OpenService = ReturnType<typeof openService>

/** Connections to the endpoints that jobs read. Each one is opened when it is first needed. */
export function createConnections(options: ConnectionOptions) {
  const { nodeUrl, networkId, service: profile, services = [], stop, emit, retry = (step) => step() } = options
  const connections = new Map<string, Transport>()
  let identifying: Promise<NetworkIdentity> | undefined
  let identity: NetworkIdentity | null = null
  let opened: OpenService | undefined
  const requests = createRequestCounter(emit, options.reportRequestsEveryMs)

  const connection = ({ url }: Endpoint): Transport => {
    const baseUrl = url ?? nodeUrl
    return getOrCreate(connections, baseUrl, () => {
      const cooldown = definedOf({ cooldown: options.cooldownOf?.(baseUrl) })
      return createTransport({ baseUrl, ...transportOptions(options, requests), ...cooldown })
    })
  }
  const service = (): OpenService => {
    opened ??= openService([...(profile === undefined ? [] : hostsOf(profile)), ...services], options, requests)
    return opened
  }
  const identify = async (): Promise<NetworkIdentity> => {
    const found = await retry(() => identifyNetwork(connection(theNode), definedOf({ networkId, signal: stop })))
    for (const message of found.warnings) emit({ kind: 'warning', message, once: true })
    identity = found
    return found
  }
  return {
    facts: {
      get service() {
        if (profile !== undefined) return serviceSettings(profile)
        throw new ConfigError('No service profile is configured, and the job reads the REST service.', {
          code: 'config.service',
          hint: 'Pass --service-profile, or set the key service in chainlake.yaml.',
        })
      },
      node: () => {
        identifying ??= identify().catch((error: unknown) => {
          identifying = undefined
          throw error
        })
        return identifying
      },
      ask: (endpoint, question) => retry(() => question(connection(endpoint), stop)),
      askService: (request, parse) =>
        retry(() => service().client.ask(request, { parse, ...definedOf({ signal: stop }) })),
    } satisfies Facts as Facts,
    connection,
    /** The identity of the node; null before the first request for it. */
    identity: () => identity,
    service,
    async close(): Promise<void> {
      await Promise.all([...connections.values()].map((transport) => transport.close()))
      await opened?.client.close()
      requests.end()
    },
  }
}

function openService(hosts: readonly ServiceHost[], options: ConnectionOptions, requests: RequestCounter) {
  const accounts = createServiceAccounts(hosts)
  const { budgets, rateLimit } = accounts
  return {
    accounts,
    client: createServiceClient({ hosts, budgets, rateLimit, ...transportOptions(options, requests) }),
  }
}

/** Options of requests, which all connections share. */
function transportOptions(
  { concurrency = defaultConcurrency, requestTimeoutMs, tries, firstContactMs, maxWaitMs, emit }: ConnectionOptions,
  requests: RequestCounter,
) {
  return {
    concurrency,
    ...definedOf({ timeoutMs: requestTimeoutMs, tries, firstContactMs, maxWaitMs }),
    onRequest: requests.count,
    onRetry: (retry: Retry) => emit({ kind: 'retry', ...retry }),
    onLongWait: (wait: Parameters<typeof longWaitEvent>[0]) => emit(longWaitEvent(wait)),
  }
}

/** Thrown for facts that need a request, where no request may be sent. */
export const unasked = new Error('No request may be sent here.')

/** Facts that are known without a request. Any other fact throws `unasked`. */
export function settledFacts(service: ServiceSettings | null): Facts {
  const refuse = () => Promise.reject(unasked)
  return {
    get service() {
      if (service === null) throw unasked
      return service
    },
    node: refuse,
    ask: refuse,
    askService: refuse,
  }
}

type RequestCounter = ReturnType<typeof createRequestCounter>

/** Counts requests by host and reports the counts at intervals, because a run may send thousands per second. */
function createRequestCounter(emit: EmitEvent, everyMs = 1_000) {
  const hosts = new Map<string, { requests: number; units: number }>()
  let reportedMs = Number.NEGATIVE_INFINITY
  const end = (): void => {
    if (hosts.size === 0) return
    reportedMs = performance.now()
    for (const [host, counted] of hosts) emit({ kind: 'requests', host, ...counted })
    hosts.clear()
  }
  return {
    count(cost: number, host: string): void {
      const counted = getOrCreate(hosts, host, () => ({ requests: 0, units: 0 }))
      counted.requests++
      counted.units += cost
      if (performance.now() - reportedMs >= everyMs) end()
    },
    /** Reports the counts that were not reported yet. */
    end,
  }
}

/** Sends the requests of list walks. */
export type Asker = {
  /**
   * Sends a request and returns what `parse` makes of the JSON response. Integers beyond 2^53 arrive as `bigint`. Throws the errors of
   * `parse`, the errors of the service or the node (`RpcError`: the node refuses the request), and the reason of the signal.
   */
  ask<T>(
    question: Question,
    options: { readonly signal?: AbortSignal; readonly parse: (answer: unknown) => T },
  ): Promise<T>
}

/** Sends each request to its host. A connection is opened, and its client loaded, with the first request that needs it. */
export function createAsker(connections: Pick<Connections, 'connection' | 'service'>): Asker {
  return {
    async ask(question, options) {
      if (question.host !== 'node') return connections.service().client.ask(question, options)
      const connection = connections.connection(question.endpoint)
      if ('subject' in question)
        return (await import('../../sources/evm-state.ts')).readCell(connection, question, options)
      return (await import('../../sources/node.ts')).askNode(connection, question, options)
    },
  }
}

/** Reserved units must be spent within this time (milliseconds). */
const keepMs = 10 * 60_000

/** The account under which a lake counts the units of a host. Its key distinguishes API keys without revealing them. */
export function accountOf({ url, secrets }: ServiceHost): SpendingAccount {
  const key = secrets.length === 0 ? 'none' : hash('sha256', `chainlake key ${secrets.join(' ')}`, 'hex').slice(0, 16)
  return { origin: new URL(url).origin, key }
}

type BudgetOptions = Pick<Parameters<Catalog['units']['take']>[0], 'account' | 'perDay' | 'share'>

function createBudget({ account, perDay, share }: BudgetOptions, catalogOf: () => Pick<Catalog, 'units'>) {
  /** Units reserved in the lake and not spent yet. */
  let taken = { periodMs: 0, units: 0 }
  /** When they were reserved (`performance.now()`). */
  let takenAtMs = 0
  /** The lake reported that no units are left until then (`performance.now()`). */
  let spentUntil = 0
  let resumeAtMs = 0
  let turn: Promise<void> = Promise.resolve()

  const takeNow = async (units: number): Promise<void> => {
    if (performance.now() < spentUntil) throw spent(account, perDay, resumeAtMs)
    // An old reservation counts for the time when it was made: return it and reserve units for now.
    if (taken.units < units || performance.now() - takenAtMs > keepMs) {
      const unused = taken.units > 0 ? taken : null
      const grant = await catalogOf().units.take({ account, perDay, least: units, share, unused })
      // The lake has counted them back. Those that requests gave back meanwhile remain.
      taken = { ...taken, units: taken.units - (unused?.units ?? 0) }
      if ('resumeAtMs' in grant) {
        resumeAtMs = grant.resumeAtMs
        spentUntil = performance.now() + resumeAtMs - Date.now()
        throw spent(account, perDay, resumeAtMs)
      }
      taken = { ...grant, units: grant.units + taken.units }
      takenAtMs = performance.now()
    }
    taken = { ...taken, units: taken.units - units }
  }
  return {
    take: async (units: number): Promise<void> => {
      if (units === 0) return
      const mine = turn.then(() => takeNow(units))
      turn = mine.catch(() => undefined)
      return mine
    },
    back: (units: number): void => {
      taken = { ...taken, units: taken.units + units }
    },
    settle: async (): Promise<void> => {
      await turn
      const unused = taken
      taken = { periodMs: 0, units: 0 }
      if (unused.units > 0) await catalogOf().units.giveBack(account, unused)
    },
  }
}

function spent({ origin, key }: SpendingAccount, perDay: number, resumeAtMs: number): PostponedError {
  const account = key === 'none' ? 'without a key' : 'for this key'
  return new PostponedError(
    `The ${countText(perDay)} units that ${origin} grants per day ${account} are spent.`,
    new Date(resumeAtMs),
    {
      code: 'postponed.budget',
      details: { 'units-per-day': perDay },
      hint: 'Run again after that time, or set units-per-day in the profile to the quota of your key. `chainlake plan` shows how many units are left.',
    },
  )
}

/** Rate limits and daily budgets of hosts, by their names. Processes share them where the lake supports that. */
export function createServiceAccounts(hosts: readonly ServiceHost[]) {
  let lake: Pick<Catalog, 'units' | 'limits'> | null = null
  const catalogOf = (): Pick<Catalog, 'units'> => {
    if (lake === null) throw new RangeError('Units cannot be reserved before the lake that counts them is set.')
    return lake
  }
  const budgets = hosts.flatMap((host) => {
    const { unitsPerDay: perDay } = host
    if (perDay === null) return []
    // At most the units of one minute, so that a run that crashes wastes few units.
    const share = Math.ceil(Math.min(host.unitsPerMinute ?? perDay, perDay / 20))
    return [[host.name, createBudget({ account: accountOf(host), perDay, share }, catalogOf)] as const]
  })
  const accounts = new Map(hosts.map((host) => [host.name, accountOf(host)]))
  const limits: RateLimit[] = []
  return {
    /** The budgets of the hosts that have one. The lake counts the spent units, so that runs with the same key share a budget. */
    budgets: Object.fromEntries(budgets.map(([host, { take, back }]): [string, UnitBudget] => [host, { take, back }])),
    /** The rate limit of a host: its own for each process before `countIn`. */
    rateLimit: (host: string, options: RateLimitOptions): RateLimit => {
      const account = accounts.get(host)
      let isShared = false
      let limit = createRateLimit(options)
      // Requests for facts of the streams precede the lake that counts the others.
      const current = (): RateLimit => {
        const shared = lake?.limits ?? null
        if (shared !== null && account !== undefined && !isShared) {
          isShared = true
          limit = createRateLimit({ ...options, shared: shared.of(account) })
          limits.push(limit)
        }
        return limit
      }
      return {
        refusals: options.refusals ?? [],
        acquire: (...args) => current().acquire(...args),
        report: (...args) => current().report(...args),
        settle: () => current().settle(),
      }
    },
    /** Sets the lake that counts requests. Call it before the first request that costs units. */
    countIn: (catalog: Pick<Catalog, 'units' | 'limits'>): void => {
      lake = catalog
    },
    /** Returns units that were reserved and not used to the lake. */
    settle: async (): Promise<void> => {
      for (const [, budget] of budgets) await budget.settle()
      for (const limit of limits) await limit.settle()
    },
  }
}
