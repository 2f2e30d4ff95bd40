import { type Facts, type NetworkIdentity, type Place, type ServiceSettings, theNode } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import type { Hold } from '../../fetch/hold.ts'
import { createTransport, type Transport } from '../../fetch/transport.ts'
import { identifyNetwork } from '../../sources/node-info.ts'
import { createServiceClient, type ServiceClient } from '../../sources/service-client.ts'
import { type ServiceProfile, serviceSettings } from '../../sources/service-profile.ts'
import { type EmitEvent, longWaitEvent } from '../job/events.ts'
import { defaultConcurrency, type NodeOptions } from '../job/job.ts'
import { createRequestCounter, type RequestCounter } from './count-requests.ts'
import { createServiceAccounts, type ServiceAccounts } from './service-accounts.ts'

export type ReachOptions = NodeOptions & {
  /** How the REST service is reached; needed for jobs that read it. */
  readonly service?: ServiceProfile
  readonly stop?: AbortSignal
  readonly emit: EmitEvent
  /** How often requests are told of; by default every second, and at the end. */
  readonly tellRequestsEveryMs?: number
  /** The hold of a base URL that several share; each has one of its own when absent. */
  readonly holdOf?: (baseUrl: string) => Hold
  /** Asks what streams depend on, again when that may succeed later. */
  readonly again?: <T>(step: () => Promise<T>) => Promise<T>
}

/** The places that jobs read from, each opened when it is first needed. */
export type Reach = {
  readonly facts: Facts
  readonly connection: (place: Place) => Transport
  /** Who the node is, once somebody wanted to know. */
  readonly identity: () => NetworkIdentity | null
  readonly service: () => OpenService
  /** Ends all connections. */
  readonly close: () => Promise<void>
}

export type OpenService = { readonly client: ServiceClient; readonly accounts: ServiceAccounts }

export function createReach(options: ReachOptions): Reach {
  const { nodeUrl, networkId, service: profile, stop, emit, again = (step) => step() } = options
  const connections = new Map<string, Transport>()
  let asking: Promise<NetworkIdentity> | undefined
  let identity: NetworkIdentity | null = null
  let opened: OpenService | undefined
  const requests = createRequestCounter(emit, options.tellRequestsEveryMs)

  const connection = ({ url }: Place): Transport => {
    const baseUrl = url ?? nodeUrl
    const hold = options.holdOf === undefined ? {} : { hold: options.holdOf(baseUrl) }
    const open = connections.get(baseUrl) ?? createTransport({ baseUrl, ...asked(options, requests), ...hold })
    connections.set(baseUrl, open)
    return open
  }
  const given = (): ServiceProfile => {
    if (profile !== undefined) return profile
    throw new ConfigError('No profile says how the REST service is reached.', {
      code: 'config.service',
      hint: 'Give --service-profile, or the key service in chainlake.yaml.',
    })
  }
  const identify = async (): Promise<NetworkIdentity> => {
    const said = await again(() =>
      identifyNetwork(connection(theNode), {
        ...(networkId === undefined ? {} : { networkId }),
        ...(stop === undefined ? {} : { signal: stop }),
      }),
    )
    for (const message of said.warnings) emit({ kind: 'warning', message, once: true })
    identity = said
    return said
  }
  return {
    facts: {
      get service() {
        return serviceSettings(given())
      },
      node: () => {
        asking ??= identify().catch((error: unknown) => {
          asking = undefined
          throw error
        })
        return asking
      },
      ask: (place, question) => again(() => question(connection(place), stop)),
    },
    connection,
    identity: () => identity,
    service: () => {
      opened ??= openService(given(), options, requests)
      return opened
    },
    async close() {
      await Promise.all([...connections.values()].map((transport) => transport.close()))
      await opened?.client.close()
      requests.end()
    },
  }
}

function openService(profile: ServiceProfile, options: ReachOptions, requests: RequestCounter): OpenService {
  const accounts = createServiceAccounts(profile)
  const { budgets, rateLimit } = accounts
  return { accounts, client: createServiceClient({ profile, budgets, rateLimit, ...asked(options, requests) }) }
}

/** How a place is asked. */
function asked(
  { concurrency = defaultConcurrency, requestTimeoutMs, tries, maxWaitMs, emit }: ReachOptions,
  requests: RequestCounter,
) {
  return {
    concurrency,
    ...(requestTimeoutMs === undefined ? {} : { timeoutMs: requestTimeoutMs }),
    ...(tries === undefined ? {} : { tries }),
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
    onRequest: requests.count,
    onRetry: (retry: { url: string; attempt: number; waitMs: number; reason: string }) =>
      emit({ kind: 'retry', ...retry }),
    onLongWait: (wait: Parameters<typeof longWaitEvent>[0]) => emit(longWaitEvent(wait)),
  }
}

/** Thrown in place of an answer where nothing may be asked. */
export const unasked = new Error('Nothing is asked here.')

/** Facts of which only those are known that nobody has to be asked for: what asks gets `unasked`. */
export function settledFacts(service: ServiceSettings | null): Facts {
  const refuse = () => Promise.reject(unasked)
  return {
    get service() {
      if (service === null) throw unasked
      return service
    },
    node: refuse,
    ask: refuse,
  }
}
