import { addressBytes } from '../../codec/bech32.ts'
import { bareAddress } from '../../src/decode/bounds.ts'
import { type ListedChain, newestTransactionTime } from '../../src/decode/service/chain-lists.ts'
import type { Blockchain, RangeWalk, RequestedRange, ServiceSettings } from '../../src/define/index.ts'
import { ConfigError, DecodeError } from '../../src/errors.ts'
import type { Slice } from '../../src/model.ts'
import { addressPrefixOf } from '../../src/sources/known-networks.ts'
import { requestOf, serviceRoutes } from '../../src/sources/service-routes.ts'
import { lakeNetwork } from './lake-network.ts'

/** Genesis of the Primary Network, 2020-09-10: no chain has anything earlier. */
export const genesisTime = 1_599_696_000

/** Default number of seconds below the newest known row that are read again. */
export const defaultTrailing = 3600

export const day = 86_400

/** Time range of the first request, 30 days in seconds; services accept that much. */
const firstWindow = 2_592_000

/** Where the requests of a job go, and the chain in its rows. */
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

/** What decoders need about the chain. */
export function listedChain({ network, id, alias, parts }: JobChain): ListedChain {
  return { network, blockchainId: id, requested: { network: parts.network, chain: alias } }
}

/**
 * Addresses without chain prefix and duplicates, in their order: the spelling of an address does not change the stream. Throws `ConfigError`
 * for an address of another network.
 */
export function bareAddresses(
  network: string,
  addresses: readonly string[] | undefined,
): readonly string[] | undefined {
  checkAddresses(network, addresses)
  return addresses === undefined ? undefined : [...new Set(addresses.map(bareAddress))]
}

/**
 * Throws `ConfigError` for an address with the prefix of another network than that of the lake, or with a wrong checksum: a service may
 * return nothing for it. If the name of a network contains no id, the prefix is unknown. 0x addresses are the same everywhere.
 */
export function checkAddresses(network: string, addresses: readonly string[] | undefined): void {
  const expected = addressPrefixOf(network)
  for (const address of addresses ?? []) {
    if (address.startsWith('0x')) continue
    const bare = bareAddress(address)
    const prefix = bare.slice(0, bare.lastIndexOf('1'))
    if (expected !== null && prefix !== expected)
      throw wrongAddress(
        `The address ${address} does not belong to the network ${network}: its addresses begin with ${expected}1.`,
        `Give addresses of ${network}, or the network of the addresses.`,
      )
    if (!isAddress(bare))
      throw wrongAddress(
        `The address ${address} has a wrong checksum: a character of it is not as it was.`,
        'Copy it again from where it comes from.',
      )
  }
}

function isAddress(bare: string): boolean {
  try {
    return addressBytes(bare).length === 20
  } catch (error) {
    if (error instanceof DecodeError) return false
    throw error
  }
}

function wrongAddress(message: string, hint: string): ConfigError {
  return new ConfigError(message, { code: 'config.address', hint })
}

/**
 * A walk over time, for a route that filters by it: between the given seconds, or up to the newest transaction that the service
 * lists for the chain. Blocks without transactions may be newer: the walk reads one more day, which counts as read only once a later transaction exists.
 */
export function timeWindow(
  chain: JobChain,
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
      request: requestOf(serviceRoutes.transactions, chain.parts, { pageSize: 1 }),
      decode: newestTransactionTime(listedChain(chain).requested),
    },
    ahead: day,
    list,
    trailing: trailing ?? defaultTrailing,
    first: firstWindow,
  }
}

/** Bounds of a request for a slice: one second more on both sides, since services do not document whether bounds are inclusive. */
export function timeBounds({ from, to }: Slice): { readonly startTimestamp: number; readonly endTimestamp: number } {
  return { startTimestamp: Math.max(0, from - 1), endTimestamp: to + 1 }
}

/** Rows within a slice. Answers can have rows outside of it, because the bounds of the request are wider and seconds are rounded. */
export function requestedSeconds(slice: Slice): RequestedRange {
  return { column: 'block_time', holds: 'times', slice, margin: { before: 2, after: 3 } }
}
