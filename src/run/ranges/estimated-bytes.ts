import type { CoveredSlice } from '../../catalog/catalog.ts'
import type { Range } from '../../define/index.ts'
import { missingCount, type Plan } from '../../plan/units.ts'

/** For an empty lake: bytes of Parquet per container of a public network, in all tables together. */
const usualBytesPerContainer = 350

type EstimatedBytes = {
  readonly bytes: number
  /** Whether the estimate is based on rows of the stream in every table to be filled, or on the size of containers, which networks share. */
  readonly known: boolean
}

/** Estimates the bytes of Parquet that a plan would write, from the bytes per coordinate in the lake. */
export function estimateBytes(
  plan: Plan,
  covered: ReadonlyMap<string, readonly Pick<CoveredSlice, 'slice' | 'bytes'>[]>,
  { record, counts }: Pick<Range, 'record' | 'counts'>,
): EstimatedBytes {
  const isOfContainers = record === 'container' || counts === 'heights'
  let bytes = 0
  let known = true
  for (const [table, slices] of covered) {
    const missing = missingCount(plan, table)
    const length = slices.reduce((sum, { slice }) => sum + slice.to - slice.from, 0)
    if (missing > 0 && length === 0 && !isOfContainers) known = false
    const each =
      length === 0
        ? usualBytesPerContainer / covered.size
        : slices.reduce((sum, slice) => sum + slice.bytes, 0) / length
    bytes += missing * each
  }
  return { bytes: Math.ceil(bytes), known }
}
