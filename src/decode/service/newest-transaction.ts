import { seconds } from '../json/number-fields.ts'
import type { AskedChain } from './chain-info.ts'
import { newestOf } from './list-page.ts'

/** Returns the Unix seconds of the newest transaction of a page, for any chain of the primary network; null if there is none. */
export function newestTransactionTime(asked: AskedChain) {
  return (answer: unknown): number | null =>
    newestOf(answer, 'transactions', asked, (at) => seconds(at, 'blockTimestamp', 'timestamp'))
}
