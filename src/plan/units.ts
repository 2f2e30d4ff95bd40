import { ConfigError, DefinitionError } from '../errors.ts'
import type { Slice, Stream, Unit } from '../model.ts'
import { subtract } from './intervals.ts'

export type PlanRequest = {
  readonly stream: Stream
  /** What shall be covered at the end, half-open. */
  readonly wanted: Slice
  /** Longest slice of a unit; slices are cut at its multiples, counted from 0. */
  readonly unit: number
  /** By table, what is committed; a table without an entry has nothing. Any order, may touch or overlap. */
  readonly coverage: ReadonlyMap<string, readonly Slice[]>
  /** The tables to fill, in the order in which units name them. */
  readonly tables: readonly string[]
}

/** A slice that a set of tables lacks, however long. */
export type Lack = { readonly slice: Slice; readonly tables: readonly string[] }

/**
 * What is missing: slices in ascending order, disjoint, each with exactly the tables that lack all of it. There are as many as
 * coverage has ends; their units are made one by one, since nobody knows how far beyond all reason a source says that it goes.
 */
export type Plan = { readonly stream: Stream; readonly unit: number; readonly lacks: readonly Lack[] }

export function planUnits({ stream, wanted, unit, coverage, tables }: PlanRequest): Plan {
  if (!Number.isSafeInteger(unit) || unit < 1) throw new DefinitionError(`A unit of ${unit} is not a positive integer.`)
  if (!Number.isSafeInteger(wanted.from) || !Number.isSafeInteger(wanted.to) || wanted.from < 0)
    throw new ConfigError(`The range ${wanted.from} to ${wanted.to} is not one of non-negative integers.`)
  const lacking = tables.map((table) => ({ table, slices: subtract([wanted], coverage.get(table) ?? []), next: 0 }))
  const lacks: Lack[] = []
  let from = wanted.from
  while (from < wanted.to) {
    let to = wanted.to
    const names: string[] = []
    for (const entry of lacking) {
      while (entry.next < entry.slices.length && entry.slices[entry.next]!.to <= from) entry.next++
      const slice = entry.slices[entry.next]
      if (slice === undefined) continue
      if (slice.from <= from) {
        names.push(entry.table)
        to = Math.min(to, slice.to)
      } else to = Math.min(to, slice.from)
    }
    if (names.length > 0) lacks.push({ slice: { from, to }, tables: names })
    from = to
  }
  return { stream, unit, lacks }
}

/** The units of a plan in ascending order, each made when it is asked for. */
export function* unitsOf({ stream, unit, lacks }: Plan): Generator<Unit, void, undefined> {
  for (const { slice, tables } of lacks)
    for (let from = slice.from; from < slice.to; ) {
      const to = Math.min(slice.to, (Math.floor(from / unit) + 1) * unit)
      yield { stream, slice: { from, to }, tables }
      from = to
    }
}

export type Estimate = {
  readonly units: number
  /** Requests of up to `windowSize` containers; a request does not reach over the end of a unit. */
  readonly requests: number
  readonly containers: number
}

/** How much work a plan is, for windows of `windowSize` containers. */
export function estimate({ unit, lacks }: Plan, windowSize: number): Estimate {
  const requestsOf = (length: number) => Math.ceil(length / windowSize)
  const sum = { units: 0, requests: 0, containers: 0 }
  for (const { from, to } of lacks.map(({ slice }) => slice)) {
    sum.containers += to - from
    /** Whole units lie between these two; before and after them are cut ones. */
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

/** How many containers a table lacks. */
export function lackOf({ lacks }: Plan, table: string): number {
  return lacks.reduce((sum, { slice, tables }) => (tables.includes(table) ? sum + slice.to - slice.from : sum), 0)
}
