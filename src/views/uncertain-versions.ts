import type { DerivedView } from '../define/index.ts'
import { sqlText } from '../lib/text/sql-quote.ts'

/** Rows of a table, of one network or of all, that may have a later version which was lost. */
export type UncertainVersions = {
  readonly table: string
  readonly network: string | null
  /** The latest time at which they were observed, in microseconds since 1970 UTC. */
  readonly observedTo: bigint
}

/** Views of the latest versions leave out rows that may not be the latest version: no row is better than an outdated one. */
export function withoutUncertain(
  derived: readonly DerivedView[],
  uncertain: readonly UncertainVersions[],
): readonly DerivedView[] {
  if (uncertain.length === 0) return derived
  return derived.map((view) => {
    const own = uncertain.filter(({ table }) => view.name === `${table}_latest`)
    if (own.length === 0 || view.query === undefined) return view
    const conditions = own.map(({ network, observedTo }) => {
      const time = `epoch_us(observed_at) <= ${observedTo}`
      return network === null ? `NOT ${time}` : `NOT (network = ${sqlText(network)} AND ${time})`
    })
    return {
      ...view,
      query: `SELECT * FROM (\n${view.query}\n)\nWHERE ${conditions.join('\n  AND ')}`,
    }
  })
}
