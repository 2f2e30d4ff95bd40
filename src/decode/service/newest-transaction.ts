import { count } from './fields.ts'
import { newestOf } from './list-page.ts'

/** Unix seconds of the newest transaction of a page of any chain of the primary network; null when there is none. */
export function newestTransactionTime(answer: unknown): number | null {
  return newestOf(answer, 'transactions', (at) => count(at, 'blockTimestamp', 'timestamp'))
}
