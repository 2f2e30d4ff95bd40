import type { RestXVertex } from '../../../schemas/rest-x-vertices.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import type { Reading } from '../json/fields.ts'
import { count, time } from '../json/number-fields.ts'
import { id, ids } from '../json/text-fields.ts'
import { type ListedChain, listPage, newestOf, secondsOf } from './list-page.ts'
import { listedTransactions } from './listed-transactions.ts'

/** Reads vertices of the X-Chain (specification 2.4 and 4.7). */
export function decodeVertices(chain: ListedChain) {
  return (answer: unknown, context: ReadingContext): Page => {
    const { rows, items, next } = listPage(
      answer,
      context,
      'vertices',
      chain.requested,
      (at, chainName) => ({ ...vertexRow(at, chain), chain_name: chainName }),
      ({ vertex_hash, block_time }) => ({ key: vertex_hash, time: secondsOf(block_time) }),
    )
    return { rows: { vertices: rows }, items, next }
  }
}

/** Returns the height of the newest vertex of a page; null if there is none. */
export function newestVertexHeight({ requested }: Pick<ListedChain, 'requested'>) {
  return (answer: unknown): number | null => newestOf(answer, 'vertices', requested, (at) => count(at, 'vertexHeight'))
}

function vertexRow(
  at: Reading,
  { network, blockchainId }: ListedChain,
): Omit<RestXVertex, 'chain_name'> & { height: number } {
  return {
    network,
    blockchain_id: blockchainId,
    vertex_hash: id(at, 'vertexHash'),
    height: count(at, 'vertexHeight'),
    vertex_index: count(at, 'vertexIndex'),
    block_time: time(at, 'vertexTimestamp'),
    parent_hashes: ids(at, 'parentHashes'),
    ...listedTransactions(at),
    byte_length: count(at, 'vertexSizeBytes'),
  }
}
