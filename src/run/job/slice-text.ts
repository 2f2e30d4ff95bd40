import { pipelines } from '../../../pipelines/index.ts'
import { countText } from '../../lib/text/count-text.ts'
import { durationText } from '../../lib/text/duration-text.ts'
import type { Slice } from '../../model.ts'

/** What the slices of a stream count: containers of an index, blocks and heights, or seconds since 1970. */
export type SliceUnit = 'containers' | 'heights' | 'seconds'

/** The unit of a stream `network/path`, whose path begins with the name of the pipeline unless it is that of an index. */
export function sliceUnitOf(stream: string): SliceUnit {
  const name = stream.split('?')[0]?.split('/')[1]
  const pipeline = pipelines.find((candidate) => candidate.name === name)
  if (pipeline === undefined) return 'containers'
  const times = pipeline.walks.some((walk) => walk === 'timeWindow' || walk === 'series')
  return times ? 'seconds' : 'heights'
}

/** Seconds of 271821 and later are no time that could be shown. */
const lastSecond = 8_640_000_000_000

/** A bound of a slice for people: times as such, `2025-11-01` where it is a midnight. */
export function boundText(bound: number, unit: SliceUnit): string {
  if (unit !== 'seconds' || bound > lastSecond) return countText(bound)
  return new Date(bound * 1000).toISOString().replace(/(T00:00:00)?\.000Z$/, (_, midnight) => (midnight ? '' : 'Z'))
}

/** The blocks of a slice by height, of a stream over blocks of an index: `1 to 107` of the first 107 containers. Of others nothing. */
export function heightsText(stream: string, { from, to }: Slice): string {
  const isOfBlocks = sliceUnitOf(stream) === 'containers' && /\/block$/.test(stream)
  return isOfBlocks ? `${countText(from + 1)} to ${countText(to)}` : ''
}

/** How much of it there is. */
export function lengthText(length: number, unit: SliceUnit): string {
  return unit === 'seconds' ? durationText(length) : countText(length)
}

/** From the first bound to the last one, gaps between them or not; null without a slice. */
export function spanText(slices: readonly Slice[], unit: SliceUnit): string | null {
  if (slices.length === 0) return null
  const from = Math.min(...slices.map((slice) => slice.from))
  const to = Math.max(...slices.map((slice) => slice.to))
  return `${boundText(from, unit)} to ${boundText(to, unit)}`
}
