import type { PageItem, ReadingContext } from '../../define/index.ts'
import { answerObject, finish, ignore, nextPageToken, objects, type Reading } from '../json/fields.ts'
import { type RequestedChain, statedChainName } from './chain-info.ts'

/** The chain of a list. Rows need network and blockchain id, which answers do not state. `requested` is the chain that answers must be of. */
export type ListedChain = {
  readonly network: string
  readonly blockchainId: string
  readonly requested: RequestedChain
}

const microseconds = 1_000_000n

/**
 * Reads a page of a list. `list` is the name of the field with the items, and `read` turns an item and the stated name of the chain into a
 * row. Throws `OtherSourceError` if the answer states another chain than `requested`.
 */
export function listPage<R>(
  answer: unknown,
  context: ReadingContext,
  list: string,
  requested: RequestedChain | null,
  read: (at: Reading, chainName: string | null) => R,
  itemOf: (row: R) => PageItem,
): { rows: R[]; items: PageItem[]; next: string | null } {
  const at = answerObject(answer, 'answer', context)
  if (requested === null) ignore(at, 'chainInfo')
  const chainName = requested === null ? null : statedChainName(at, requested)
  const rows = objects(at, list, (item) => read(item, chainName))
  const next = nextPageToken(at)
  finish(at)
  return { rows, items: rows.map(itemOf), next }
}

/** For answers that give no rows. Unknown fields are reported elsewhere. */
export const withoutRows: ReadingContext = {
  observationId: '',
  observedAt: 0n,
  unknownField: () => {},
  memory: new Map(),
}

/** Returns the result of `read` for the newest item of an answer; null if the list is empty. */
export function newestOf<V>(
  answer: unknown,
  list: string,
  requested: RequestedChain | null,
  read: (at: Reading) => V,
): V | null {
  return listPage(answer, withoutRows, list, requested, read, () => ({ key: '', time: null })).rows[0] ?? null
}

/** Returns the Unix seconds of a time in microseconds. */
export function secondsOf(time: bigint): number {
  return Number(time / microseconds)
}
