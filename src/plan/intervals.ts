import type { Slice } from '../model.ts'

/** Brings slices, in any order and possibly overlapping, into canonical form: sorted, disjoint, not touching, not empty. */
export function normalise(slices: readonly Slice[]): Slice[] {
  const sorted = slices.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from)
  const result: { from: number; to: number }[] = []
  for (const { from, to } of sorted) {
    const last = result.at(-1)
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to)
    else result.push({ from, to })
  }
  return result
}

/** Integers that are in at least one of the lists. */
export function union(...lists: readonly (readonly Slice[])[]): Slice[] {
  return normalise(lists.flat())
}

/** Integers that are in both lists. */
export function intersect(a: readonly Slice[], b: readonly Slice[]): Slice[] {
  const left = normalise(a)
  const right = normalise(b)
  const result: Slice[] = []
  let i = 0
  let j = 0
  while (i < left.length && j < right.length) {
    const x = left[i]!
    const y = right[j]!
    const from = Math.max(x.from, y.from)
    const to = Math.min(x.to, y.to)
    if (from < to) result.push({ from, to })
    if (x.to < y.to) i++
    else j++
  }
  return result
}

/** Integers that are in `a` but not in `b`. */
export function subtract(a: readonly Slice[], b: readonly Slice[]): Slice[] {
  const holes = normalise(b)
  const result: Slice[] = []
  let j = 0
  for (const { from, to } of normalise(a)) {
    let start = from
    while (j < holes.length && holes[j]!.to <= start) j++
    for (let k = j; k < holes.length && holes[k]!.from < to; k++) {
      const hole = holes[k]!
      if (start < hole.from) result.push({ from: start, to: hole.from })
      start = Math.max(start, hole.to)
    }
    if (start < to) result.push({ from: start, to })
  }
  return result
}

/** Whether every integer of `slice` is in `slices`. */
export function covers(slices: readonly Slice[], slice: Slice): boolean {
  return subtract([slice], slices).length === 0
}

/** How many integers are in the slices, each counted once. */
export function countOf(slices: readonly Slice[]): number {
  return normalise(slices).reduce((sum, { from, to }) => sum + to - from, 0)
}
