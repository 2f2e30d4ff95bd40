import type { Range, StreamDeclaration } from '../../define/index.ts'
import type { RangeStream } from '../lists/listed-range.ts'

/** Streams that share one walk. */
export type StreamGroup = readonly [StreamDeclaration, ...StreamDeclaration[]]

/** Ranges of lists that fill the same tables share commits, and combined ranges share requests. Any other stream has its own walk. */
export function groupsOf(streams: readonly StreamDeclaration[]): StreamGroup[] {
  const groups: [StreamDeclaration, ...StreamDeclaration[]][] = []
  for (const stream of streams) {
    const last = groups.at(-1)
    if (last !== undefined && shareWalk(stream, last[0])) last.push(stream)
    else groups.push([stream])
  }
  return groups
}

export function isRecords(stream: StreamDeclaration): stream is StreamDeclaration<Range> {
  return stream.walk.kind === 'range'
}

export function isListedRange(stream: StreamDeclaration): stream is RangeStream {
  const { kind } = stream.walk
  return kind === 'blockWindow' || kind === 'timeWindow' || kind === 'heightRange'
}

function shareWalk(a: StreamDeclaration, b: StreamDeclaration): boolean {
  return (isListedRange(a) && isListedRange(b) && sameTables(a, b)) || (isCombined(a) && isCombined(b))
}

function isCombined(stream: StreamDeclaration): boolean {
  return isRecords(stream) && stream.walk.combined === true
}

function sameTables(a: StreamDeclaration, b: StreamDeclaration): boolean {
  const names = ({ tables }: StreamDeclaration) => Object.values(tables).map(({ name }) => name)
  return names(a).join() === names(b).join()
}
