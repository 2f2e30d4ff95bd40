import type { CoverageRow, Inventory } from '../../catalog/catalog.ts'

/** Clocks may differ by this many seconds. */
const clockTolerance = 86_400

/** The coverage of lists by time that ends in the future: a run believed a wrong newest time, and later runs would not read these times. */
export function futureCoverage({ coverage, streams }: Pick<Inventory, 'coverage' | 'streams'>): CoverageRow[] {
  const byTime = new Set(streams.flatMap(({ stream, walk }) => (walk === 'timeWindow' ? [stream] : [])))
  const latest = Date.now() / 1000 + clockTolerance
  return coverage.filter(({ stream, slice }) => byTime.has(stream) && slice.to > latest)
}
