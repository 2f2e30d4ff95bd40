import { seconds } from '../json/number-fields.ts'
import type { RequestedChain } from './chain-info.ts'
import { newestOf } from './list-page.ts'

/** Returns the Unix seconds of the newest transaction of a page, for any chain of the primary network; null if there is none. */
export function newestTransactionTime(requested: RequestedChain) {
  return (answer: unknown): number | null =>
    newestOf(answer, 'transactions', requested, (at) => seconds(at, 'blockTimestamp', 'timestamp'))
}
