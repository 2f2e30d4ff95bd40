import type { RpcMethods } from '../http/json-rpc.ts'
import { rpcEndpoint } from '../http/json-rpc.ts'
import type { DevnetRequest } from '../http/request.ts'
import type { Route } from '../http/router.ts'

/** Height and id of the last accepted container of each chain, by alias. */
export type Heads = () => Promise<Readonly<Record<string, { readonly height: number; readonly id: string }>>>

/** Health by GET, where an unhealthy node answers 503, and by JSON-RPC, where it does not (specification 4.4). */
export function healthRoutes(heads: Heads): Route[] {
  const whole = async ({ fault }: DevnetRequest): Promise<Report> => healthReport(await heads(), fault === 'unhealthy')
  const ready = async ({ fault }: DevnetRequest): Promise<Report> => readiness(fault !== 'unhealthy')
  const alive = async (): Promise<Report> => ({ checks: {}, healthy: true })
  const get = (path: string, report: (request: DevnetRequest) => Promise<Report>): Route => ({
    path,
    handle: async (request) => {
      if (request.method !== 'GET') return null
      const said = await report(request)
      const headers = { 'content-type': 'application/json', vary: 'Origin' }
      return { status: said.healthy ? 200 : 503, headers, body: [`${JSON.stringify(said)}\n`] }
    },
  })
  const methods: RpcMethods = {
    'health.health': async (_, request) => [JSON.stringify(await whole(request))],
    'health.readiness': async (_, request) => [JSON.stringify(await ready(request))],
    'health.liveness': async () => [JSON.stringify(await alive())],
  }
  return [
    get('/ext/health', whole),
    get('/ext/health/health', whole),
    get('/ext/health/readiness', ready),
    get('/ext/health/liveness', alive),
    { path: '/ext/health', handle: rpcEndpoint(methods) },
  ]
}

type Report = { readonly checks: Readonly<Record<string, object>>; readonly healthy: boolean }

/** When checks were made: a clock that content does not depend on. */
function now(): string {
  return new Date().toISOString()
}

function readiness(healthy: boolean): Report {
  const check = { timestamp: now(), duration: 2_000 }
  const failing = { ...check, error: 'subnets not bootstrapped', contiguousFailures: 3, timeOfFirstFailure: now() }
  return { checks: { bootstrapped: { message: [], ...(healthy ? check : failing) } }, healthy }
}

function healthReport(heads: Awaited<ReturnType<Heads>>, unhealthy: boolean): Report {
  const check = { timestamp: now(), duration: 2_000 }
  const networking = { disconnectedValidators: [], percentConnected: 1 }
  const chains = Object.entries(heads).map(([alias, { height, id }]) => {
    const consensus = {
      lastAcceptedHeight: height,
      lastAcceptedID: id,
      longestProcessingBlock: '0s',
      processingBlocks: 0,
    }
    return [alias, { message: { engine: { consensus, vm: null }, networking }, ...check }] as const
  })
  const failure = { error: 'network layer is unhealthy', contiguousFailures: 3, timeOfFirstFailure: now() }
  return {
    checks: {
      ...Object.fromEntries(chains),
      bootstrapped: { message: [], ...check },
      database: check,
      diskspace: { message: { availableDiskBytes: 83_573_063_680 }, ...check },
      network: { message: { connectedPeers: 0, sendFailRate: 0 }, ...(unhealthy ? failure : {}), ...check },
      router: { message: { longestRunningRequest: '0s', outstandingRequests: 0 }, ...check },
    },
    healthy: !unhealthy,
  }
}
