import { seconds } from '../json/number-fields.ts'
import type { AskedChain } from './chain-info.ts'
import { newestOf } from './list-page.ts'

/** Unix seconds of the newest transaction of a page of any chain of the primary network; null when there is none. */
export function newestTransactionTime(asked: AskedChain) {
  return (answer: unknown): number | null =>
    newestOf(answer, 'transactions', asked, (at) => seconds(at, 'blockTimestamp', 'timestamp'))
}
