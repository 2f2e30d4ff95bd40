import { bareAddress } from '../../src/decode/service/bare-address.ts'
import { newestTransactionTime } from '../../src/decode/service/newest-transaction.ts'
import type { Blockchain, RangeWalk, ServiceSettings } from '../../src/define/index.ts'
import type { Slice } from '../../src/model.ts'
import { requestOf, serviceRoutes } from '../../src/sources/service-routes.ts'
import { lakeNetwork } from './lake-network.ts'

/** No chain of the primary network has anything before its genesis: 2020-09-10. */
export const genesisTime = 1_599_696_000

/** Seconds below the newest known row that are read again when a job does not say it. */
export const defaultTrailing = 3600

const day = 86_400

/** Length of the first window of time that is asked for: 30 days. */
const firstWindow = 2_592_000

/** Where a job's requests go and what its rows say of the chain. */
export type JobChain = Blockchain & {
  readonly network: string
  readonly parts: { readonly network: string; readonly blockchainId: string }
}

/** The chain of a job. Throws `ConfigError` for a network or chain that the profile does not know. */
export function jobChain(
  { network, blockchain }: { readonly network: string; readonly blockchain: string },
  settings: ServiceSettings,
): JobChain {
  const stored = lakeNetwork(network)
  const chain = settings.blockchain(stored, blockchain)
  return { ...chain, network: stored, parts: { network: settings.networkInPath(stored), blockchainId: chain.pathName } }
}

/** Addresses without chain prefix, each once, in their order: another way to write one is no other stream. */
export function bareAddresses(addresses: readonly string[] | undefined): readonly string[] | undefined {
  return addresses === undefined ? undefined : [...new Set(addresses.map(bareAddress))]
}

/**
 * A walk over time of a route that filters by it: from the given second to the given one, or to the newest transaction that the service
 * lists of the chain. Blocks without one may be newer: a day more is read, and counts as read only when a later transaction is there.
 */
export function timeWindow(
  { parts }: Pick<JobChain, 'parts'>,
  from: number | undefined,
  to: number | undefined,
  trailing: number | undefined,
  list: RangeWalk['list'],
): RangeWalk {
  return {
    kind: 'timeWindow',
    from: from ?? genesisTime,
    to: to ?? null,
    head: {
      request: requestOf(serviceRoutes.transactions, parts, { pageSize: 1 }),
      decode: newestTransactionTime,
    },
    ahead: day,
    list,
    trailing: trailing ?? defaultTrailing,
    first: firstWindow,
  }
}

/** Bounds of a request for a slice: a second more on both sides, since services do not say whether bounds are inside. */
export function timeBounds({ from, to }: Slice): { readonly startTimestamp: number; readonly endTimestamp: number } {
  return { startTimestamp: Math.max(0, from - 1), endTimestamp: to + 1 }
}
