import { blockDate, blockTime } from '../define/index.ts'
import type { Bound, Operator } from './scan-plan.ts'

const dayMs = 86_400_000

/** Which side of a day, and in which direction, the times lie that meet a comparison of dates. */
const sides: Readonly<Record<Operator, readonly (readonly [operator: Operator, days: 0 | 1])[]>> = {
  '=': [
    ['>=', 0],
    ['<', 1],
  ],
  '<': [['<', 0]],
  '<=': [['<', 1]],
  '>': [['>=', 1]],
  '>=': [['>=', 0]],
}

/** A bound on `block_date` as bounds on `block_time`, for which the catalog has statistics. Other bounds stay. */
export function timeBounds(bound: Bound): Bound[] {
  const { column, operator, value } = bound
  const day = Date.parse(`${value}T00:00:00Z`)
  if (column !== blockDate || Number.isNaN(day)) return [bound]
  return sides[operator].map(([compared, days]) => ({
    column: blockTime,
    operator: compared,
    value: new Date(day + days * dayMs).toISOString(),
  }))
}
