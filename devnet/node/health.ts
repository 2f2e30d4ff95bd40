import type { RpcMethods } from '../http/json-rpc.ts'
import { rpcEndpoint, textsOf } from '../http/json-rpc.ts'
import type { DevnetRequest, Route } from '../http/router.ts'
import { chainTexts } from '../network/genesis.ts'
import { upgradeTimes } from './info.ts'

/** Height and id of the last accepted container of each chain, by alias. */
export type Heads = () => Promise<Readonly<Record<string, { readonly height: number; readonly id: string }>>>

/** Health by GET, where an unhealthy node returns status 503, and by JSON-RPC, where it returns 200 (specification 4.4). */
export function healthRoutes(heads: Heads): Route[] {
  const whole = async ({ fault }: DevnetRequest, tags: readonly string[]): Promise<Report> => {
    return withTags(healthReport(await heads(), fault === 'unhealthy'), tags)
  }
  const ready = async ({ fault }: DevnetRequest): Promise<Report> => readiness(fault !== 'unhealthy')
  const alive = async (): Promise<Report> => ({ checks: {}, healthy: true })
  const get = (path: string, report: (request: DevnetRequest, tags: readonly string[]) => Promise<Report>): Route => ({
    path,
    handle: async (request) => {
      if (request.method !== 'GET') return null
      const said = await report(request, request.query.getAll('tag'))
      const headers = { 'content-type': 'application/json', vary: 'Origin' }
      return { status: said.healthy ? 200 : 503, headers, body: [`${JSON.stringify(said)}\n`] }
    },
  })
  const methods: RpcMethods = {
    'health.health': async (parameters, request) => [JSON.stringify(await whole(request, textsOf(parameters, 'tags')))],
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

/** Checks of the chains of the primary network have its id as their tag. All other checks belong to the whole node. */
const tagOfChains = chainTexts.P

/**
 * Selects the checks with one of the tags and the checks of the whole node; without tags, all checks. The report is healthy if all selected
 * checks are.
 */
function withTags({ checks }: Report, tags: readonly string[]): Report {
  const chains = tags.length === 0 || tags.includes(tagOfChains)
  const kept = Object.entries(checks).filter(([name]) => chains || !Object.hasOwn(chainTexts, name))
  return { checks: Object.fromEntries(kept), healthy: kept.every(([, check]) => !('error' in check)) }
}

type Report = { readonly checks: Readonly<Record<string, object>>; readonly healthy: boolean }

/** The time of the checks. It comes from the real clock, on which the content of the network does not depend. */
function now(): string {
  return new Date().toISOString()
}

/** The number of reports that a node gives by GET and by JSON-RPC, and the number of checks in all of them. */
export function healthCounts(): { readonly reports: number; readonly checks: number } {
  const nowhere = { height: 0, id: '' }
  const ofReport = ({ checks }: Report): number => Object.keys(checks).length
  const whole = ofReport(healthReport({ P: nowhere, X: nowhere, C: nowhere }, false))
  // GET returns the whole report under two paths.
  return { reports: 4 + 3, checks: whole * 3 + ofReport(readiness(true)) * 2 }
}

function readiness(healthy: boolean): Report {
  const check = { timestamp: now(), duration: 2_000 }
  const failing = { ...check, error: 'subnets not bootstrapped', contiguousFailures: 3, timeOfFirstFailure: now() }
  return { checks: { bootstrapped: { message: [], ...(healthy ? check : failing) } }, healthy }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

/** The simulated node has no peers that could announce another time for the next upgrade. */
const futureUpgrade = {
  localUpgradeTime: upgradeTimes()['heliconTime'],
  modeUpgradeTime: '1970-01-01T00:00:00Z',
  modeUpgradeWeightPercentage: 0,
  numUpgradeTimes: 0,
}

function healthReport(heads: Awaited<ReturnType<Heads>>, unhealthy: boolean): Report {
  const check = { timestamp: now(), duration: 2_000 }
  const networking = { disconnectedValidators: [], percentConnected: 1 }
  const chains = Object.entries(heads)
    .sort(byName)
    .map(([alias, { height, id }]) => {
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
      bls: { message: 'node has the correct BLS key', ...check },
      bootstrapped: { message: [], ...check },
      database: check,
      diskspace: { message: { availableDiskBytes: 83_573_063_680, availableDiskPercentage: 31 }, ...check },
      futureupgrade: { message: futureUpgrade, ...check },
      network: { message: { connectedPeers: 0, sendFailRate: 0 }, ...(unhealthy ? failure : {}), ...check },
      router: { message: { longestRunningRequest: '0s', outstandingRequests: 0 }, ...check },
    },
    healthy: !unhealthy,
  }
}
