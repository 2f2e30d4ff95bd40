/** More streams of one pipeline are shown as a group: a job may have one stream for each of a thousand wallets. */
const mostStreams = 4

/** Groups streams that differ only in their parameters, in their order. A few streams are not grouped. */
export function groupStreams<S extends { readonly stream: string }>(
  streams: readonly S[],
): { readonly name: string; readonly streams: readonly S[] }[] {
  const paths = new Map<string, S[]>()
  for (const stream of streams) {
    const path = stream.stream.split('?')[0] ?? stream.stream
    paths.set(path, [...(paths.get(path) ?? []), stream])
  }
  return [...paths].flatMap(([name, group]) =>
    group.length > mostStreams
      ? [{ name, streams: group }]
      : group.map((stream) => ({ name: stream.stream, streams: [stream] })),
  )
}
