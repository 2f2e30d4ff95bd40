import { contradiction, type Reading } from '../json/fields.ts'
import { count } from '../json/number-fields.ts'
import { ids } from '../json/text-fields.ts'

/** Reads the transactions of a block or vertex. Throws `DecodeError` if their number differs from the stated count. */
export function listedTransactions(at: Reading): { tx_count: number; tx_ids: string[] } {
  const tx_count = count(at, 'txCount')
  const tx_ids = ids(at, 'transactions')
  if (tx_ids.length !== tx_count) throw contradiction(at, 'txCount', tx_count, 'transactions', tx_ids)
  return { tx_count, tx_ids }
}
