import type { Part } from '../../model.ts'
import type { CommittingRun } from '../rows/commit-unit.ts'
import type { RangeMember } from '../units/range-plan.ts'
import type { RangeRun } from '../units/range-run.ts'
import { newestTime } from './newest-time.ts'
import type { WalkProgress } from './walk-progress.ts'

/** The part of a run that commits a unit of a range of `length` coordinates: it reports the files that became visible. */
export function committingRun(
  run: RangeRun,
  { source, tables }: Pick<RangeMember, 'source' | 'tables'>,
  progress: WalkProgress,
  length: number,
): CommittingRun {
  return {
    ...run,
    pipeline: run.job,
    newestTime: (parts) => newestTime(parts, tables),
    written: (parts: readonly Part[]) => {
      if (source.bytes === undefined) progress.written(parts.reduce((bytes, part) => bytes + part.bytes, 0))
      run.committed(parts, length)
    },
  }
}
