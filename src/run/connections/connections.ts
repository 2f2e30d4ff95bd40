import { type Endpoint, type Facts, type NetworkIdentity, type ServiceSettings, theNode } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import type { Cooldown } from '../../fetch/cooldown.ts'
import { createTransport, type Retry, type Transport } from '../../fetch/transport.ts'
import { identifyNetwork } from '../../sources/node-info.ts'
import { createServiceClient, type ServiceClient } from '../../sources/service/service-client.ts'
import { hostsOf, type ServiceHost } from '../../sources/service/service-host.ts'
import { type ServiceProfile, serviceSettings } from '../../sources/service-profile.ts'
import { type EmitEvent, longWaitEvent } from '../job/events.ts'
import { defaultConcurrency, type NodeOptions } from '../job/job.ts'
import { createRequestCounter, type RequestCounter } from './count-requests.ts'
import { createServiceAccounts, type ServiceAccounts } from './service-accounts.ts'

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

/** Connections to the endpoints that jobs read. Each one is opened when it is first needed. */
export type Connections = {
  readonly facts: Facts
  readonly connection: (endpoint: Endpoint) => Transport
  /** The identity of the node; null before the first request for it. */
  readonly identity: () => NetworkIdentity | null
  readonly service: () => OpenService
  /** Closes all connections. */
  readonly close: () => Promise<void>
}

type OpenService = { readonly client: ServiceClient; readonly accounts: ServiceAccounts }

export function createConnections(options: ConnectionOptions): Connections {
  const { nodeUrl, networkId, service: profile, services = [], stop, emit, retry = (step) => step() } = options
  const connections = new Map<string, Transport>()
  let identifying: Promise<NetworkIdentity> | undefined
  let identity: NetworkIdentity | null = null
  let opened: OpenService | undefined
  const requests = createRequestCounter(emit, options.reportRequestsEveryMs)

  const connection = ({ url }: Endpoint): Transport => {
    const baseUrl = url ?? nodeUrl
    const cooldown = options.cooldownOf === undefined ? {} : { cooldown: options.cooldownOf(baseUrl) }
    const open =
      connections.get(baseUrl) ?? createTransport({ baseUrl, ...transportOptions(options, requests), ...cooldown })
    connections.set(baseUrl, open)
    return open
  }
  const requireProfile = (): ServiceProfile => {
    if (profile !== undefined) return profile
    throw new ConfigError('No service profile is configured, and the job reads the REST service.', {
      code: 'config.service',
      hint: 'Pass --service-profile, or set the key service in chainlake.yaml.',
    })
  }
  const service = (): OpenService => {
    opened ??= openService([...(profile === undefined ? [] : hostsOf(profile)), ...services], options, requests)
    return opened
  }
  const identify = async (): Promise<NetworkIdentity> => {
    const found = await retry(() =>
      identifyNetwork(connection(theNode), {
        ...(networkId === undefined ? {} : { networkId }),
        ...(stop === undefined ? {} : { signal: stop }),
      }),
    )
    for (const message of found.warnings) emit({ kind: 'warning', message, once: true })
    identity = found
    return found
  }
  return {
    facts: {
      get service() {
        return serviceSettings(requireProfile())
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
        retry(() => service().client.ask(request, { parse, ...(stop === undefined ? {} : { signal: stop }) })),
    },
    connection,
    identity: () => identity,
    service,
    async close() {
      await Promise.all([...connections.values()].map((transport) => transport.close()))
      await opened?.client.close()
      requests.end()
    },
  }
}

function openService(hosts: readonly ServiceHost[], options: ConnectionOptions, requests: RequestCounter): OpenService {
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
    ...(requestTimeoutMs === undefined ? {} : { timeoutMs: requestTimeoutMs }),
    ...(tries === undefined ? {} : { tries }),
    firstContactMs,
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
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
