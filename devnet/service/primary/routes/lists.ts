import type { ChainAlias } from '../../../network/shared-memory.ts'
import type { Rows } from '../../plumbing/index.ts'

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
