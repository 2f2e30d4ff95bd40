import { groupBy } from '../../lib/group-by.ts'
import { pathId, type Stream } from '../../model.ts'

/** More streams of one pipeline are shown as a group: a job may have one stream for each of a thousand wallets. */
const mostStreams = 4

/** Groups streams that differ only in their parameters, in their order. A few streams are not grouped. */
export function groupStreams<S extends Stream & { readonly stream: string }>(
  streams: readonly S[],
): { readonly name: string; readonly streams: readonly S[] }[] {
  return [...streamsByPath(streams)].flatMap(([name, group]) =>
    group.length > mostStreams
      ? [{ name, streams: group }]
      : group.map((stream) => ({ name: stream.stream, streams: [stream] })),
  )
}

/** Streams by their name without parameters, in their order. */
export function streamsByPath<S extends Stream & { readonly stream: string }>(
  streams: readonly S[],
): ReadonlyMap<string, readonly S[]> {
  return groupBy(streams, pathId)
}
