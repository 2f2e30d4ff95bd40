import { addressBytes, addressText } from '../../../../codec/ids.ts'
import { hrp } from '../../../network/genesis.ts'
import type { ChainAlias } from '../../../network/state.ts'
import type { Rows } from '../../plumbing/pages.ts'
import { evmAddress, type Reader } from '../../plumbing/rules.ts'

export const sortOrders = ['asc', 'desc'] as const
type SortOrder = (typeof sortOrders)[number]

/** Converts an index in the requested order (newest first unless `asc`) to a position in an oldest-first list. */
function positionIn(list: readonly unknown[], order: SortOrder | undefined): (index: number) => number {
  const { length } = list
  return order === 'asc' ? (index) => index : (index) => length - 1 - index
}

/** Rows of an oldest-first list in the requested order. Each row is formatted when it is returned. */
export function inOrder<T>(list: readonly T[], order: SortOrder | undefined, shape: (item: T) => object): Rows {
  const position = positionIn(list, order)
  return { count: list.length, at: (index) => shape(list[position(index)]!) }
}

/** The same for items with JSON text; `item` returns the item of a row. */
export function textsInOrder<T>(
  list: readonly T[],
  order: SortOrder | undefined,
  toText: (item: T) => string,
): { readonly rows: Rows; readonly item: (index: number) => T } {
  const position = positionIn(list, order)
  const item = (index: number): T => list[position(index)]!
  const text = (index: number): string => toText(item(index))
  return { rows: { count: list.length, text, at: (index) => JSON.parse(text(index)) as object }, item }
}

const names: Readonly<Record<ChainAlias, string>> = { P: 'p-chain', X: 'x-chain', C: 'c-chain' }

/** Field `chainInfo` (specification 2.1). */
export function chainInfo(chain: ChainAlias, network: string): object {
  return { chainInfo: { chainName: names[chain], network } }
}

/** Caches answers between the pages of a list, so that expensive lists are computed once for all pages. */
export type ListMemory<T> = {
  /** The cached list with this name for the same number of containers; otherwise caches and returns the result of `make`. */
  of(name: string, containers: number, make: () => readonly T[]): readonly T[]
}

const mostLists = 16

export function createListMemory<T>(): ListMemory<T> {
  const known = new Map<string, { readonly containers: number; readonly list: readonly T[] }>()
  return {
    of: (name, containers, make) => {
      const found = known.get(name)
      known.delete(name)
      const fresh = found !== undefined && found.containers === containers ? found : { containers, list: make() }
      known.set(name, fresh)
      if (known.size > mostLists) for (const oldest of [...known.keys()].slice(0, 1)) known.delete(oldest)
      return fresh.list
    },
  }
}

/** Maximum number of addresses in a GET request (real-service.md, Data API: address limit). */
export const mostAddresses = 64
/** Maximum number of addresses in the body of a POST request. */
export const mostPostedAddresses = 1_024

/** A bech32 address of the network, with or without `P-`, `X-` or `C-`. Returns the address without the prefix. */
export const primaryAddress: Reader<string> = {
  read: (given) => {
    const bare = given.replace(/^[PXC]-/, '')
    if (!bare.startsWith(`${hrp}1`)) return null
    try {
      return addressText(hrp, addressBytes(bare))
    } catch {
      return null
    }
  },
  says: `must be an address that starts with ${hrp}1, P-${hrp}1 or X-${hrp}1`,
}

/** The same, or a 0x address. */
export const anyAddress: Reader<string> = {
  read: (given) => (given.startsWith('0x') ? evmAddress.read(given) : primaryAddress.read(given)),
  says: `${primaryAddress.says}, or a 0x address`,
}
