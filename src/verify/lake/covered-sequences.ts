import type { CoverageRow, Inventory } from '../../catalog/catalog.ts'
import { sqlName, sqlText } from '../../lib/text/sql-quote.ts'
import { chainNames, type Sequence, sequenceOf } from './sequences.ts'

/** A covered slice of a sequence: each multiple of `step` from `from` (included) to `to` (excluded) has a row. */
export type CoveredSequence = {
  readonly sequence: Sequence
  readonly row: CoverageRow
  /** An SQL condition that selects the rows of the chain. */
  readonly condition: string
  /** The chain id of an EVM chain, or the name of another chain in streams. */
  readonly chain: string
  readonly step: number
  readonly from: number
  readonly to: number
}

export function coveredSequences(inventory: Inventory): CoveredSequence[] {
  return inventory.coverage.flatMap((row) => {
    const sequence = sequenceOf(row)
    if (sequence === undefined) return []
    const names = chainNames(inventory, row.origin)
    const conditions = [
      `network = ${sqlText(row.network)}`,
      ...sequence.chain.map(({ column, value }) => `${sqlName(column)} = ${sqlText(names[value])}`),
      ...(sequence.only === undefined ? [] : [sequence.only]),
    ]
    const step = Number(row.origin.parameters['step'] ?? 1)
    return [{ sequence, row, condition: conditions.join(' AND '), chain: names.name, step, ...row.slice }]
  })
}
