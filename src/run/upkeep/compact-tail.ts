import type { StreamFacts } from '../../catalog/catalog.ts'
import type { SmallFile, SmallFiles } from '../../catalog/files/small-files.ts'
import type { Table } from '../../define/index.ts'
import { boundValue, timeColumn } from './compact-plan.ts'

/** How far below the newest rows of a stream each run reads again: coordinates of a range, seconds of a list. */
export type TrailingOf = (stream: string) => number

/** What runs declared about the streams. Rows of a stream that none declared are not read again. */
export function trailingIn(streams: ReadonlyMap<string, StreamFacts>): TrailingOf {
  return (stream) => streams.get(stream)?.trailing ?? 0
}

/**
 * Excludes the files with the tails of their streams: tails are read again, and comparing new rows with small files is cheap. A file of
 * several streams is excluded if it contains the tail of one of them.
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
