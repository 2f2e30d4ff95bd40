import type { RangeRun } from '../units/range-run.ts'
import type { ReadingProgress } from '../units/unit-message.ts'

/** How far a walk is, for people. */
export type WalkProgress = {
  /** Windows were read. */
  readonly read: (progress: ReadingProgress) => void
  /** Files were committed: counted where nobody knows the bytes of records. */
  readonly written: (bytes: number) => void
}

export function createWalkProgress(total: number, { job, emit }: Pick<RangeRun, 'job' | 'emit'>): WalkProgress {
  const sum = { done: 0, rows: 0, bytes: 0 }
  return {
    read({ length, rows, bytes }) {
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
