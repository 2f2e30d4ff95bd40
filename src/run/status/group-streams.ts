/** More streams than these of one pipeline are shown together: a job may have one for each of a thousand wallets. */
const mostStreams = 4

/** Streams that differ in their parameters only, in their order: one by one when they are few, else all in one group. */
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
