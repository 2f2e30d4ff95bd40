import { countText } from '../../lib/text/count-text.ts'
import { durationText } from '../../lib/text/duration-text.ts'
import type { Slice } from '../../model.ts'

/** The last second that a JavaScript date can show (in the year 275760). */
const lastSecond = 8_640_000_000_000

/** The text of a slice bound: a number or a time, and `2025-11-01` for a midnight. */
export function boundText(bound: number, unit: string): string {
  if (unit !== 'seconds' || bound > lastSecond) return countText(bound)
  return new Date(bound * 1000).toISOString().replace(/(T00:00:00)?\.000Z$/, (_, midnight) => (midnight ? '' : 'Z'))
}

/** The text of a length with its unit: `1 container`, `2 d 3 h`. */
export function lengthText(length: number, unit: string): string {
  return unit === 'seconds' ? durationText(length) : `${countText(length)} ${length === 1 ? unit.slice(0, -1) : unit}`
}

/** The text of the span from the first to the last bound, ignoring gaps: `blocks 5 to 9`; null without slices. */
export function spanText(slices: readonly Slice[], unit: string): string | null {
  if (slices.length === 0) return null
  const from = Math.min(...slices.map((slice) => slice.from))
  const to = Math.max(...slices.map((slice) => slice.to))
  return `${unit === 'seconds' ? '' : `${unit} `}${boundText(from, unit)} to ${boundText(to, unit)}`
}
