import type { CoveredSlice } from '../../catalog/catalog.ts'
import { lackOf, type Plan } from '../../plan/units.ts'

/** Where a lake says nothing yet: bytes of Parquet per container of a public network, in all tables. */
const usualBytesPerContainer = 350

export type EstimatedBytes = {
  readonly bytes: number
  /** Whether every table that is to be filled has rows of the stream, from which this follows. */
  readonly known: boolean
}

/** Bytes of Parquet that a plan would write: of each table as much for a coordinate as the lake holds of the stream. */
export function estimateBytes(
  plan: Plan,
  covered: ReadonlyMap<string, readonly Pick<CoveredSlice, 'slice' | 'bytes'>[]>,
): EstimatedBytes {
  let bytes = 0
  let known = true
  for (const [table, slices] of covered) {
    const lack = lackOf(plan, table)
    const length = slices.reduce((sum, { slice }) => sum + slice.to - slice.from, 0)
    if (lack > 0 && length === 0) known = false
    const each =
      length === 0
        ? usualBytesPerContainer / covered.size
        : slices.reduce((sum, slice) => sum + slice.bytes, 0) / length
    bytes += lack * each
  }
  return { bytes: Math.ceil(bytes), known }
}
