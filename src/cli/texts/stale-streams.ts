import type { StreamStatus } from '../../catalog/catalog.ts'
import { durationText } from '../../lib/duration-text.ts'

/** A stream whose head was last reached too long ago, or never. */
export type StaleStream = { readonly stream: string; readonly reached: Date | null }

/** Of a chain on which nothing happens the head is reached all the same. Who a network is never changes, and counts for nothing. */
export function staleStreams(streams: readonly StreamStatus[], maxAgeMs: number, nowMs: number): StaleStream[] {
  return streams
    .filter(({ stream, network }) => stream !== `${network}/chains`)
    .filter(({ reached }) => reached === null || nowMs - reached.getTime() > maxAgeMs)
    .map(({ stream, reached }) => ({ stream, reached }))
}

/** A line for each. */
export function staleText(stale: readonly StaleStream[], nowMs: number): string {
  return stale
    .map(({ stream, reached }) =>
      reached === null
        ? `stale: ${stream}: its head was never reached`
        : `stale: ${stream}: its head was last reached ${durationText((nowMs - reached.getTime()) / 1000)} ago`,
    )
    .join('\n')
}
