import type { Part } from '../../model.ts'
import type { PipelineName } from '../../pipeline-modules/find-pipeline.ts'
import type { LakeRun } from '../rows/lake-run.ts'
import type { UnitThreads } from './unit-executor.ts'
import type { JobMessage } from './unit-message.ts'

/** A run with the callbacks of a walk over ranges. */
export type RangeRun = LakeRun &
  PipelineName & {
    /** Name of the job. */
    readonly job: string
    /** The job as unit messages describe it. */
    readonly message: JobMessage
    readonly unitThreads: UnitThreads
    /** Called with the head of a source. */
    readonly atHead: (head: number | null) => void
    /** Called when a later walk may find more: a range has no end, or its source has not reached it. */
    readonly continues: () => void
    /** Called with each commit: its parts and the number of coordinates that it covers. */
    readonly committed: (parts: readonly Part[], length: number) => void
    /** Called with the fields that no column holds, and in how many records each was seen. */
    readonly unknownFields: (seen: Readonly<Record<string, number>>) => void
  }

/** Maximum number of windows that are in progress or wait for their turn. */
export function windowsAhead({ concurrency }: Pick<LakeRun, 'concurrency'>): number {
  return concurrency + 1
}
