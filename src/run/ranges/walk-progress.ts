import type { RangeRun } from '../units/range-run.ts'
import type { ReadingProgress } from '../units/unit-message.ts'

/** Reports the progress of a walk. */
export type WalkProgress = {
  /** Called when windows were read. */
  readonly read: (progress: ReadingProgress) => void
  /** Called with the bytes of committed files, where the size of records is unknown. */
  readonly written: (bytes: number) => void
}

export function createWalkProgress(
  total: number,
  { job, emit, unknownFields: seen }: Pick<RangeRun, 'job' | 'emit' | 'unknownFields'>,
): WalkProgress {
  const sum = { done: 0, rows: 0, bytes: 0 }
  return {
    read({ length, rows, bytes, unknownFields }) {
      if (unknownFields !== undefined) seen(unknownFields)
      sum.done = Math.min(total, sum.done + length)
      sum.rows += rows
      sum.bytes += bytes
      emit({ kind: 'progress', pipeline: job, ...sum, total })
    },
    written(bytes) {
      sum.bytes += bytes
    },
  }
}
