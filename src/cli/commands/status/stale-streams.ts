import type { StreamStatus } from '../../../catalog/catalog.ts'
import { durationText } from '../../../lib/text/duration-text.ts'

/** A stream whose head was last reached too long ago, or never. */
export type StaleStream = {
  readonly stream: string
  readonly reached: Date | null
  /** When a run of it last began. */
  readonly begun: Date | null
}

/** Of a chain on which nothing happens the head is reached all the same. Who a network is never changes, and counts for nothing. */
export function staleStreams(streams: readonly StreamStatus[], maxAgeMs: number, nowMs: number): StaleStream[] {
  return streams
    .filter(({ stream, network }) => stream !== `${network}/chains`)
    .filter(({ reached }) => reached === null || nowMs - reached.getTime() > maxAgeMs)
    .map(({ stream, reached, lastRun }) => ({ stream, reached, begun: lastRun?.started ?? null }))
}

/** A line for each, and what to do about those of which no run has begun for as long. */
export function staleText(stale: readonly StaleStream[], maxAgeMs: number, nowMs: number): string {
  const lines = stale.map(({ stream, reached }) =>
    reached === null
      ? `stale: ${stream}: its head was never reached`
      : `stale: ${stream}: its head was last reached ${durationText((nowMs - reached.getTime()) / 1000)} ago`,
  )
  const idle = stale.filter(({ begun }) => begun === null || nowMs - begun.getTime() > maxAgeMs)
  if (idle.length === 0) return lines.join('\n')
  const names = [...new Set(idle.map(({ stream }) => stream.split('?')[0]))].join(',')
  const which = idle.length === stale.length ? 'these' : 'some of these'
  return [
    ...lines,
    `No run of ${which} has begun for so long. Run them, or leave out what nobody runs any more: --except ${names}`,
  ].join('\n')
}
