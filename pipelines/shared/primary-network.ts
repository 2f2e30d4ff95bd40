import { addressBytes } from '../../src/codec/bech32.ts'
import { bareAddress } from '../../src/decode/json/bare-address.ts'
import type { ListedChain } from '../../src/decode/service/list-page.ts'
import { newestTransactionTime } from '../../src/decode/service/newest-transaction.ts'
import type { AskedRange, Blockchain, RangeWalk, ServiceSettings } from '../../src/define/index.ts'
import { ConfigError, DecodeError } from '../../src/errors.ts'
import type { Slice } from '../../src/model.ts'
import { addressPrefixOf } from '../../src/sources/known-networks.ts'
import { requestOf, serviceRoutes } from '../../src/sources/service-routes.ts'
import { lakeNetwork } from './lake-network.ts'

/** No chain of the primary network has anything before its genesis: 2020-09-10. */
export const genesisTime = 1_599_696_000

/** Seconds below the newest known row that are read again when a job does not say it. */
export const defaultTrailing = 3600

export const day = 86_400

/** Services accept a range of so many seconds: 30 days. */
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

/** What decoders must know of the chain. */
export function listedChain({ network, id, alias, parts }: JobChain): ListedChain {
  return { network, blockchainId: id, asked: { network: parts.network, chain: alias } }
}

/**
 * Addresses without chain prefix, each once, in their order: another way to write one is no other stream. Throws `ConfigError` for one
 * that is not of the network.
 */
export function bareAddresses(
  network: string,
  addresses: readonly string[] | undefined,
): readonly string[] | undefined {
  checkAddresses(network, addresses)
  return addresses === undefined ? undefined : [...new Set(addresses.map(bareAddress))]
}

/**
 * Throws `ConfigError` for an address with the prefix of another network than the lake's, or with a wrong checksum: a service may
 * answer for it with nothing. Of a network whose name says no id the prefix is not known. 0x addresses are the same everywhere.
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
 * A walk over time of a route that filters by it: from the given second to the given one, or to the newest transaction that the service
 * lists of the chain. Blocks without one may be newer: a day more is read, and counts as read only when a later transaction is there.
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
      decode: newestTransactionTime(listedChain(chain).asked),
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

/** Rows of the seconds of a slice. Answers may have what the bounds of the request take in, and a second that was rounded. */
export function secondsAsked(slice: Slice): AskedRange {
  return { column: 'block_time', slice, margin: { before: 2, after: 3 } }
}
