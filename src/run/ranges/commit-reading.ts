import type { Progress } from '../../model.ts'
import { commitUnit, type StreamProgress } from '../rows/commit-unit.ts'
import type { RangeRun } from '../units/range-run.ts'
import { type Filling, progressOf, type UnitSink } from '../units/read-units.ts'
import { committingRun } from './committing-run.ts'
import { comparedRows, newRowsWithoutShared } from './compared-rows.ts'
import { rowsOnce } from './rows-once.ts'
import type { WalkProgress } from './walk-progress.ts'

/** Commits units of ranges that are compared with the lake. Only this thread may open the lake. */
export function committing(run: RangeRun, progress: WalkProgress): UnitSink {
  return {
    read: progress.read,
    rowsOf({ member, overlapping }, options, after) {
      const shared = new Set(overlapping.map(({ table }) => table))
      if (member.walk.order === 'node') return rowsOnce({ ...options, run }, after)
      return member.walk.rows === 'compared'
        ? comparedRows({ ...options, run })
        : newRowsWithoutShared({ ...options, run }, { shared, after })
    },
    deliver: (unit) => commitFilling(unit, run, progress),
  }
}

async function commitFilling({ rows, streamParts }: Filling, run: RangeRun, progress: WalkProgress): Promise<void> {
  const { member, unit } = streamParts[0].reading
  const length = streamParts.reduce((sum, streamPart) => sum + lengthOf(progressOf(streamPart)), 0)
  const [first, ...others] = streamParts.map(
    (streamPart, owner): StreamProgress => ({
      stream: streamPart.reading.unit.stream,
      progress: progressOf(streamPart),
      owner,
    }),
  )
  const paths = member.walk.overlapping
  const seen = streamParts.flatMap(({ reading }) => reading.overlapping)
  await commitUnit(
    committingRun(run, member, progress, length),
    unit.tables,
    rows,
    [first!, ...others],
    paths === undefined ? undefined : { paths, seen },
  )
}

function lengthOf(progress: Progress): number {
  return progress.kind === 'slice' ? progress.slice.to - progress.slice.from : 0
}
