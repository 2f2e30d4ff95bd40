import type { WindowSource } from '../../define/index.ts'
import { groupBy } from '../../lib/group-by.ts'
import type { Slice } from '../../model.ts'
import type { RangeReading } from '../units/range-plan.ts'

/**
 * The readings of streams that share requests, in steps of one window. All streams that are missing a window read it in the same step, so
 * that one request serves them.
 */
export function* interleavedReadings(readings: Iterable<RangeReading>): Generator<RangeReading, void, undefined> {
  const whole = [...readings]
  for (const slice of segments(whole.map(({ read }) => read))) {
    const own = whole.filter(({ read }) => read.from <= slice.from && slice.to <= read.to)
    for (const [shared, alike] of groupBy(own, ({ source }) => source.shared))
      yield* inSteps(alike, shared!.together(alike.map(({ source }) => source)), slice)
  }
}

function* inSteps(
  readings: readonly RangeReading[],
  sources: readonly WindowSource<unknown>[],
  { from, to }: Slice,
): Generator<RangeReading, void, undefined> {
  // Each step is one window for all of them, even when the window size changes in between. A window that is too large is halved by each.
  const uncut = sources.map((source) => ({ ...source, windowSize: () => Number.POSITIVE_INFINITY }))
  for (let start = from; start < to; ) {
    const end = Math.min(to, start + sources[0]!.windowSize())
    for (const [at, reading] of readings.entries())
      yield {
        ...reading,
        source: uncut[at]!,
        read: { from: start, to: end },
        sharesRequest: at > 0,
        partOf: reading.partOf ?? reading,
      }
    start = end
  }
}

/** The slices between consecutive ends of slices, in order. */
function segments(slices: readonly Slice[]): Slice[] {
  const ends = [...new Set(slices.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b)
  return ends.slice(1).map((to, at) => ({ from: ends[at]!, to }))
}
