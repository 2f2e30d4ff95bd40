import type { LeafStats } from '../../model.ts'
import { compareBounds } from './compare-stats.ts'

/** Statistics of a column over several files. */
export type ColumnStats = {
  readonly containsNull: boolean
  /** Null when there are no values, or when the bounds are not `known`. */
  readonly min: string | null
  readonly max: string | null
  /** False when some file has values but no bounds. */
  readonly known: boolean
}

export const noValues: ColumnStats = { containsNull: false, min: null, max: null, known: true }

export function statsOfLeaf(leaf: LeafStats): ColumnStats {
  const hasBounds = leaf.min !== null && leaf.max !== null
  const hasValues = leaf.valueCount > leaf.nullCount
  return {
    containsNull: leaf.nullCount > 0,
    min: hasBounds ? leaf.min : null,
    max: hasBounds ? leaf.max : null,
    known: hasBounds || !hasValues,
  }
}

/** Merges two statistics. `type` is the catalog type, which determines how bounds compare. */
export function mergeStats(type: string, a: ColumnStats, b: ColumnStats): ColumnStats {
  const containsNull = a.containsNull || b.containsNull
  if (!a.known || !b.known) return { containsNull, min: null, max: null, known: false }
  return {
    containsNull,
    min: extreme(a.min, b.min, (x, y) => compareBounds(type, x, y) <= 0),
    max: extreme(a.max, b.max, (x, y) => compareBounds(type, x, y) >= 0),
    known: true,
  }
}

function extreme(a: string | null, b: string | null, prefersFirst: (a: string, b: string) => boolean): string | null {
  if (a === null || b === null) return a ?? b
  return prefersFirst(a, b) ? a : b
}
