import type { ChainAlias } from '../../../network/shared-memory.ts'
import type { Rows } from '../../plumbing/index.ts'

export const sortOrders = ['asc', 'desc'] as const
export type SortOrder = (typeof sortOrders)[number]

/** Rows of a list that is oldest first, in the order asked for: newest first unless `asc`. Each is shaped when it is shown. */
export function inOrder<T>(list: readonly T[], order: SortOrder | undefined, shape: (item: T) => object): Rows {
  const count = list.length
  return { count, at: (index) => shape(list[order === 'asc' ? index : count - 1 - index]!) }
}

const names: Readonly<Record<ChainAlias, string>> = { P: 'p-chain', X: 'x-chain', C: 'c-chain' }

/** Field `chainInfo` (specification 2.1). */
export function chainInfo(chain: ChainAlias, network: string): object {
  return { chainInfo: { chainName: names[chain], network } }
}
