import type * as Plot from '@observablehq/plot'

const grainMs: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_629_800_000,
}
/** The axis has room for at least this many bars; fewer would be too wide. */
const leastBars = 8

/** The scale of times. It is at least `leastBars` bars long, and its ticks are not finer than the bars. */
export function timeScale(points: readonly { readonly time: Date }[], grain: string, width: number): Plot.ScaleOptions {
  const starts = [...new Set(points.map(({ time }) => time.getTime()))].sort((a, b) => a - b)
  const step = grainMs[grain] ?? 0
  const [first = 0, last = 0] = [starts[0], starts.at(-1)]
  const common = { label: null, type: 'utc', tickFormat: timeTick(grain) } as const
  const most = Math.max(2, Math.floor(width / 110))
  const bars = step === 0 ? leastBars : Math.round((last - first) / step) + 1
  if (bars >= leastBars) return { ...common, ticks: most }
  const begin = last - (leastBars - 1) * step
  const every = Math.ceil(leastBars / most)
  const ticks = Array.from({ length: leastBars }, (_, index) => new Date(begin + index * step))
  return {
    ...common,
    domain: [new Date(begin), new Date(last + step)],
    ticks: ticks.filter((_, index) => (leastBars - 1 - index) % every === 0),
  }
}

/** The text of a tick: the part of the time that changes with each tick, and below it the other part where that is new. */
function timeTick(grain: string): (time: Date, index: number, ticks?: readonly Date[]) => string {
  const isShort = grain === 'minute' || grain === 'hour'
  return (time, index, ticks = []) => {
    const [day = '', clock = ''] = time.toISOString().slice(0, 16).split('T')
    const [upper, lower] = isShort ? [clock, day] : [day.slice(5), day.slice(0, 4)]
    const before = ticks[index - 1]?.toISOString().slice(0, isShort ? 10 : 4)
    return before === lower ? upper : `${upper}\n${lower}`
  }
}

/** A number as axes and bars show it: `12.3k`. */
export function scaleText(value: number): string {
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size < 0.001) return value.toExponential(1)
  if (size < 1_000) return String(Number(value.toPrecision(3)))
  const steps = ['', 'k', 'M', 'G', 'T', 'P', 'E']
  const step = Math.min(steps.length - 1, Math.floor(Math.log10(size) / 3))
  return size >= 1e21 ? value.toExponential(1) : `${Number((value / 1_000 ** step).toPrecision(3))}${steps[step]}`
}
