import { pipelines } from '../../../pipelines/index.ts'
import type { Walk } from '../../define/index.ts'
import { countText } from '../../lib/text/count-text.ts'
import { durationText } from '../../lib/text/duration-text.ts'
import type { Slice } from '../../model.ts'

/** What the slices of a stream count. Seconds are seconds since 1970; only a program's own pipelines have other records than these. */
export type SliceUnit = 'containers' | 'blocks' | 'heights' | 'seconds' | 'records'

const unitsOfWalks: { readonly [walk in Walk['kind']]?: SliceUnit } = {
  range: 'blocks',
  blockWindow: 'blocks',
  heightRange: 'heights',
  timeWindow: 'seconds',
  series: 'seconds',
}

/** The unit of a stream `network/path`. The path begins with the name of the pipeline, except for streams of an index. */
export function sliceUnitOf(stream: string): SliceUnit {
  const path = stream.split('?')[0] ?? ''
  const pipeline = pipelines.find(({ name }) => name === path.split('/')[1])
  if (pipeline === undefined) return /\/(block|tx|vtx)$/.test(path) ? 'containers' : 'records'
  return pipeline.walks.map((walk) => unitsOfWalks[walk]).find((unit) => unit !== undefined) ?? 'records'
}

/** The last second that a JavaScript date can show (in the year 275760). */
const lastSecond = 8_640_000_000_000

/** The text of a slice bound: a number or a time, and `2025-11-01` for a midnight. */
export function boundText(bound: number, unit: SliceUnit): string {
  if (unit !== 'seconds' || bound > lastSecond) return countText(bound)
  return new Date(bound * 1000).toISOString().replace(/(T00:00:00)?\.000Z$/, (_, midnight) => (midnight ? '' : 'Z'))
}

/** The heights of a slice of an index of blocks: `1 to 107` for the first 107 containers. Empty for any other stream. */
export function heightsText(stream: string, { from, to }: Slice): string {
  const isOfBlocks = sliceUnitOf(stream) === 'containers' && /\/block$/.test(stream)
  return isOfBlocks ? `${countText(from + 1)} to ${countText(to)}` : ''
}

/** The text of a length with its unit: `1 container`, `2 d 3 h`. */
export function lengthText(length: number, unit: SliceUnit): string {
  return unit === 'seconds' ? durationText(length) : `${countText(length)} ${length === 1 ? unit.slice(0, -1) : unit}`
}

/** The text of the span from the first to the last bound, ignoring gaps: `blocks 5 to 9`; null without slices. */
export function spanText(slices: readonly Slice[], unit: SliceUnit): string | null {
  if (slices.length === 0) return null
  const from = Math.min(...slices.map((slice) => slice.from))
  const to = Math.max(...slices.map((slice) => slice.to))
  return `${unit === 'seconds' ? '' : `${unit} `}${boundText(from, unit)} to ${boundText(to, unit)}`
}
