import type { SmallFile, SmallFiles } from '../../catalog/files/small-files.ts'
import type { StreamDeclaration, Table } from '../../define/index.ts'
import { streamId } from '../../model.ts'
import { boundValue, timeColumn } from './compact-plan.ts'

/** What is read again below the newest rows of a stream: coordinates of a range, seconds of a list. */
export type TrailingOf = (stream: string) => number

/** As the streams of a run say; others as `otherwise` does. */
export function trailingIn(declared: readonly StreamDeclaration[], otherwise: TrailingOf): TrailingOf {
  const known = new Map(
    declared.map(({ stream, walk }) => [streamId(stream), 'trailing' in walk ? (walk.trailing ?? 0) : 0]),
  )
  return (stream) => known.get(stream) ?? otherwise(stream)
}

/**
 * The files without those that hold the tails of their streams: those are read again, and rows that arrive are compared with them, which
 * small files make cheap. A file of several streams stays when it is in the tail of one.
 */
export function withoutTails(table: Table, { files, ends }: SmallFiles, trailingOf: TrailingOf): SmallFile[] {
  const time = timeColumn(table)
  const latestOf = (file: SmallFile): bigint | null => {
    const bounds = time === null ? null : file.bounds(time)
    return bounds === null ? null : boundValue(bounds.max)
  }
  const newest = new Map<string, bigint>()
  for (const file of files)
    for (const { stream, slice } of file.sources) {
      const latest = slice === null ? latestOf(file) : null
      if (latest !== null && latest > (newest.get(stream) ?? latest - 1n)) newest.set(stream, latest)
    }
  return files.filter((file) =>
    file.sources.every(({ stream, slice }) => {
      const trailing = trailingOf(stream)
      if (trailing === 0) return true
      if (slice !== null) return slice.to <= (ends.get(stream) ?? slice.to) - trailing
      const [latest, end] = [latestOf(file), newest.get(stream)]
      return latest === null || end === undefined || latest < end - BigInt(trailing) * 1_000_000n
    }),
  )
}
