import { ConfigError, DefinitionError } from '../errors.ts'
import type { Slice, Stream, Unit } from '../model.ts'

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

/** Integers that are in both lists: those of `a` except the ones that only `a` has. */
export function intersect(a: readonly Slice[], b: readonly Slice[]): Slice[] {
  return subtract(a, subtract(a, b))
}

/** How many integers are in the slices, each counted once. */
export function countOf(slices: readonly Slice[]): number {
  return normalise(slices).reduce((sum, { from, to }) => sum + to - from, 0)
}

type PlanRequest = {
  readonly stream: Stream
  /** The range that the run should cover, half-open. */
  readonly wanted: Slice
  /** Largest length of a slice: slices are cut at its multiples, counted from 0. */
  readonly unit: number
  /** Committed slices by table, in any order; they may touch or overlap. A table without an entry has none. */
  readonly coverage: ReadonlyMap<string, readonly Slice[]>
  /** The tables to fill, in the order in which slices name them. */
  readonly tables: readonly string[]
}

type MissingSlice = { readonly slice: Slice; readonly tables: readonly string[] }

/**
 * What is missing: disjoint slices in ascending order, each with the tables in which all of it is missing. Their number depends only on
 * the number of gaps. Slices are cut one by one, because a source may claim an absurdly high head.
 */
export type Plan = { readonly stream: Stream; readonly unit: number; readonly missing: readonly MissingSlice[] }

export function planSlices({ stream, wanted, unit, coverage, tables }: PlanRequest): Plan {
  if (!Number.isSafeInteger(unit) || unit < 1) throw new DefinitionError(`A unit of ${unit} is not a positive integer.`)
  if (!Number.isSafeInteger(wanted.from) || !Number.isSafeInteger(wanted.to) || wanted.from < 0)
    throw new ConfigError(`The bounds of the range ${wanted.from} to ${wanted.to} are not non-negative integers.`)
  const gaps = tables.map((table): Gaps => ({ table, slices: subtract([wanted], coverage.get(table) ?? []), next: 0 }))
  const missing: MissingSlice[] = []
  for (let from = wanted.from; from < wanted.to; ) {
    const next = missingFrom(gaps, from, wanted.to)
    if (next.tables.length > 0) missing.push(next)
    from = next.slice.to
  }
  return { stream, unit, missing }
}

/** What is missing in a table; `next`: the first gap that a plan has not passed yet. */
type Gaps = { readonly table: string; readonly slices: readonly Slice[]; next: number }

/** The longest slice from `from` on, up to `end`, in which the same tables have a gap. */
function missingFrom(gaps: readonly Gaps[], from: number, end: number): MissingSlice {
  let to = end
  const tables: string[] = []
  for (const entry of gaps) {
    while (entry.next < entry.slices.length && entry.slices[entry.next]!.to <= from) entry.next++
    const gap = entry.slices[entry.next]
    if (gap === undefined) continue
    const isMissing = gap.from <= from
    if (isMissing) tables.push(entry.table)
    to = Math.min(to, isMissing ? gap.to : gap.from)
  }
  return { slice: { from, to }, tables }
}

/** The slices of a plan in ascending order, cut one at a time. */
export function* slicesOfPlan({ stream, unit, missing }: Plan): Generator<Unit, void, undefined> {
  for (const { slice, tables } of missing)
    for (let from = slice.from; from < slice.to; ) {
      const to = Math.min(slice.to, (Math.floor(from / unit) + 1) * unit)
      yield { stream, slice: { from, to }, tables }
      from = to
    }
}

/** How much work a plan is, in requests of up to `windowSize` records. No request crosses the end of a slice. */
export function estimate({ unit, missing }: Plan, windowSize: number) {
  const requestsOf = (length: number) => Math.ceil(length / windowSize)
  const sum = { units: 0, requests: 0, records: 0 }
  for (const { from, to } of missing.map(({ slice }) => slice)) {
    sum.records += to - from
    // Slices of full length lie between these two; shorter ones before and after them.
    const [first, end] = [Math.ceil(from / unit), Math.floor(to / unit)]
    if (first > end) {
      sum.units += 1
      sum.requests += requestsOf(to - from)
      continue
    }
    const cut = [first * unit - from, to - end * unit].filter((length) => length > 0)
    sum.units += end - first + cut.length
    sum.requests += (end - first) * requestsOf(unit) + cut.reduce((total, length) => total + requestsOf(length), 0)
  }
  return sum
}

export function missingCount({ missing }: Plan, table: string): number {
  return missing.reduce((sum, { slice, tables }) => (tables.includes(table) ? sum + slice.to - slice.from : sum), 0)
}
