import type { StreamStatus } from '../../../catalog/catalog.ts'
import { durationText } from '../../../lib/text/duration-text.ts'
import { pathId } from '../../../model.ts'

/** A stream that last reached its head too long ago, or never. */
export type StaleStream = {
  readonly network: string
  readonly path: string
  readonly stream: string
  readonly reached: Date | null
  /** When the last run of the stream began. */
  readonly begun: Date | null
}

/**
 * The streams that last reached their head more than `maxAgeMs` ago. A run reaches the head of an idle chain, too, so an idle chain is
 * not stale. The stream `chains` of a network never changes and is left out.
 */
export function staleStreams(streams: readonly StreamStatus[], maxAgeMs: number, nowMs: number): StaleStream[] {
  return streams
    .filter(({ kind }) => kind !== 'chains')
    .filter(({ reached }) => reached === null || nowMs - reached.getTime() > maxAgeMs)
    .map(({ stream, network, path, reached, lastRun }) => ({
      stream,
      network,
      path,
      reached,
      begun: lastRun?.started ?? null,
    }))
}

/** One line per stale stream, and what to do about streams without a run in that time. */
export function staleText(stale: readonly StaleStream[], maxAgeMs: number, nowMs: number): string {
  const lines = stale.map(({ stream, reached }) =>
    reached === null
      ? `stale: ${stream}: never reached its head`
      : `stale: ${stream}: last reached its head ${durationText((nowMs - reached.getTime()) / 1000)} ago`,
  )
  const idle = stale.filter(({ begun }) => begun === null || nowMs - begun.getTime() > maxAgeMs)
  if (idle.length === 0) return lines.join('\n')
  const names = [...new Set(idle.map(pathId))].join(',')
  const which = idle.length === stale.length ? 'these' : 'some of these'
  return [
    ...lines,
    `No run of ${which} has started in that time. Run them, or leave out streams that are not run any more: --except ${names}`,
  ].join('\n')
}

/** A stream with a newest block that is too old. */
export type OldStream = { readonly stream: string; readonly newest: Date }

/** The streams with a newest block older than `maxAgeMs`. Streams without block times do not count. */
export function oldStreams(
  streams: readonly StreamStatus[],
  newest: ReadonlyMap<string, Date>,
  { maxAgeMs, nowMs }: { readonly maxAgeMs: number; readonly nowMs: number },
): OldStream[] {
  return streams.flatMap(({ stream }) => {
    const time = newest.get(stream)
    return time === undefined || nowMs - time.getTime() <= maxAgeMs ? [] : [{ stream, newest: time }]
  })
}

export function oldText(old: readonly OldStream[], nowMs: number): string {
  return old
    .map(
      ({ stream, newest }) =>
        `old: ${stream}: the newest block is ${durationText((nowMs - newest.getTime()) / 1000)} old; the node may stand still, or the chain is quiet`,
    )
    .join('\n')
}
