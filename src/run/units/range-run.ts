import type { Part } from '../../model.ts'
import type { LakeRun } from '../rows/lake-run.ts'
import type { UnitThreads } from './unit-executor.ts'
import type { JobMessage } from './unit-message.ts'

/** What a walk over ranges needs of a run, and whom it tells. */
export type RangeRun = LakeRun & {
  /** Name of the job. */
  readonly job: string
  /** Name of its pipeline. */
  readonly pipeline: string
  /** The job as units name it. */
  readonly message: JobMessage
  readonly unitThreads: UnitThreads
  /** Told how far a source is. */
  readonly atHead: (head: number | null) => void
  /** Told of each commit: its parts and how many coordinates it covers. */
  readonly committed: (parts: readonly Part[], length: number) => void
}

/** Windows that are under way or wait for their turn. */
export function windowsAhead({ concurrency }: Pick<LakeRun, 'concurrency'>): number {
  return concurrency + 1
}
