import type { Slice } from '../../model.ts'
import type { RangePlan, RangeReading } from '../units/range-plan.ts'

/**
 * The readings of streams that share requests, in steps of one window. All streams that are missing a window read it in the same step, so
 * that one request serves them.
 */
export function* interleavedReadings(plans: readonly RangePlan[]): Generator<RangeReading, void, undefined> {
  const whole = plans.flatMap((plan) => [...plan.readings()])
  for (const { from, to } of segments(whole.map(({ read }) => read))) {
    const own = whole.filter(({ read }) => read.from <= from && to <= read.to)
    const [first] = own
    if (first === undefined) continue
    const sources = first.member.source.shared!.together(own.map(({ member }) => member.source))
    for (let start = from; start < to; ) {
      const end = Math.min(to, start + sources[0]!.windowSize())
      for (const [at, reading] of own.entries())
        yield {
          ...reading,
          source: sources[at]!,
          read: { from: start, to: end },
          sharesRequest: at > 0,
          partOf: reading,
        }
      start = end
    }
  }
}

/** The slices between consecutive ends of slices, in order. */
function segments(slices: readonly Slice[]): Slice[] {
  const ends = [...new Set(slices.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b)
  return ends.slice(1).map((to, at) => ({ from: ends[at]!, to }))
}
