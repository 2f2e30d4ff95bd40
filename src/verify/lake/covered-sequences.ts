import type { CoverageRow, Inventory } from '../../catalog/catalog.ts'
import { sqlName, sqlText } from '../../lib/text/sql-quote.ts'
import { chainId } from './row-place.ts'
import { type Sequence, sequences } from './sequences.ts'

/** A covered slice of a sequence: each multiple of `step` from `from` (included) to `to` (excluded) has a row. */
export type CoveredSequence = {
  readonly sequence: Sequence
  readonly row: CoverageRow
  /** An SQL condition that selects the rows of the chain. */
  readonly condition: string
  /** The chain id or the name of the chain in the path of the stream. */
  readonly chain: string
  readonly step: number
  readonly from: number
  readonly to: number
}

export function coveredSequences(inventory: Inventory): CoveredSequence[] {
  return inventory.coverage.flatMap((row) => {
    const path = row.stream.slice(row.network.length + 1).replace(/\?.*$/s, '')
    const step = Number(/[?&]step=(\d+)/.exec(row.stream)?.[1] ?? 1)
    return sequences.flatMap((sequence) => {
      const name = sequence.path.exec(path)?.[1]
      if (name === undefined || sequence.table.name !== row.table) return []
      const values = {
        name,
        blockchainId: chainId(inventory, row.network, name),
        path: path.endsWith('/block') ? name : path,
      }
      const conditions = [
        `network = ${sqlText(row.network)}`,
        ...sequence.chain.map(({ column, value }) => `${sqlName(column)} = ${sqlText(values[value])}`),
        ...(sequence.only === undefined ? [] : [sequence.only]),
      ]
      return [{ sequence, row, condition: conditions.join(' AND '), chain: name, step, ...row.slice }]
    })
  })
}
