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

/** What is missing, as units in ascending order: disjoint, each with exactly the tables that lack all of its slice. */
export function planUnits(request: PlanRequest): Unit[] {
  const { stream, wanted, unit, coverage, tables } = request
  if (!Number.isSafeInteger(unit) || unit < 1) throw new DefinitionError(`A unit of ${unit} is not a positive integer.`)
  if (!Number.isSafeInteger(wanted.from) || !Number.isSafeInteger(wanted.to) || wanted.from < 0)
    throw new ConfigError(`The range ${wanted.from} to ${wanted.to} is not one of non-negative integers.`)
  const lacking = tables.map((table) => ({ table, slices: subtract([wanted], coverage.get(table) ?? []), next: 0 }))
  const units: Unit[] = []
  let from = wanted.from
  while (from < wanted.to) {
    let to = Math.min(wanted.to, (Math.floor(from / unit) + 1) * unit)
    const names: string[] = []
    let resume = wanted.to
    for (const entry of lacking) {
      while (entry.next < entry.slices.length && entry.slices[entry.next]!.to <= from) entry.next++
      const slice = entry.slices[entry.next]
      if (slice === undefined) continue
      resume = Math.min(resume, Math.max(slice.from, from))
      if (slice.from <= from) {
        names.push(entry.table)
        to = Math.min(to, slice.to)
      } else to = Math.min(to, slice.from)
    }
    if (names.length === 0) {
      // Nothing lacks here: on to where the next table starts to lack, however far that is.
      from = resume
      continue
    }
    units.push({ stream, slice: { from, to }, tables: names })
    from = to
  }
  return units
}

export type Estimate = {
  readonly units: number
  /** Requests of up to `windowSize` containers; a request does not reach over the end of a unit. */
  readonly requests: number
  readonly containers: number
}

/** How much work units are, for windows of `windowSize` containers. */
export function estimate(units: readonly Unit[], windowSize: number): Estimate {
  let requests = 0
  let containers = 0
  for (const { slice } of units) {
    requests += Math.ceil((slice.to - slice.from) / windowSize)
    containers += slice.to - slice.from
  }
  return { units: units.length, requests, containers }
}
