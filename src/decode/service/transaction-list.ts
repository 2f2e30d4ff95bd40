import type { DecodePage } from '../../define/index.ts'
import type { Reading } from '../json/fields.ts'
import { type ListedChain, listPage, secondsOf } from './list-page.ts'

type Transaction = { readonly tx_id: string; readonly block_time: bigint }

/** Returns a decoder of a list of transactions for `table`, which is its name in the pipeline. */
export function transactionList<T extends Transaction>(
  table: string,
  row: (at: Reading, chain: ListedChain, chainName: string | null) => T,
) {
  return (chain: ListedChain): DecodePage =>
    (answer, context) => {
      const read = (at: Reading, chainName: string | null) => row(at, chain, chainName)
      const { rows, items, next } = listPage(
        answer,
        context,
        'transactions',
        chain.requested,
        read,
        ({ tx_id, block_time }) => {
          return { key: tx_id, time: secondsOf(block_time) }
        },
      )
      return { rows: { [table]: rows }, items, next }
    }
}
