import { count } from './fields.ts'
import { listPage, noItem } from './list-page.ts'

/** Unix seconds of the newest transaction of a page of any chain of the primary network; null when there is none. */
export function newestTransactionTime(answer: unknown): number | null {
  const silent = { observationId: '', observedAt: 0n, unknownField: () => {}, memory: new Map() }
  const times = listPage(answer, silent, 'transactions', (at) => count(at, 'blockTimestamp', 'timestamp'), noItem)
  return times.rows[0] ?? null
}
