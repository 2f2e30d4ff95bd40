import type { Catalog, Measure, RunRecord } from '../../catalog/catalog.ts'
import type { StreamDeclaration } from '../../define/index.ts'
import { streamId } from '../../model.ts'
import type { JobResult } from '../rows/job-result.ts'

/** Collects what rounds of jobs have reached and how long they took. Written at intervals, and at the end of the run. */
export type RunRecorder = {
  readonly done: (streams: readonly StreamDeclaration[], result: JobResult) => void
  /** Writes, unless it did a moment ago: the catalog says soon when a run last looked at a head, and writing takes little of the time. */
  readonly afterRound: () => Promise<void>
  /** The records that are not written yet. */
  readonly rest: () => RunRecord
}

/** The shortest and the longest time between two writes. Between them, writing takes at most a twentieth of the time. */
const shortestPauseMs = 2_000
const longestPauseMs = 60_000
const shareOfTime = 20

export function createRunRecorder({ recordRun }: Pick<Catalog, 'recordRun'>): RunRecorder {
  let reached = new Map<string, number>()
  let measures = new Map<string, Measure>()
  let dueMs = Number.NEGATIVE_INFINITY
  const rest = (): RunRecord => ({ reached, measures: [...measures.values()] })
  return {
    done(streams, result) {
      // A job that has more to do has not reached the head, and its time says nothing about a complete run.
      if (result.interrupted || result.postponed !== null) return
      const nowMs = Date.now()
      for (const { stream } of streams) reached.set(streamId(stream), nowMs)
      const measure = measureOf(result, nowMs)
      if (measure.records + measure.requests > 0) measures.set(measure.job, measure)
    },
    async afterRound() {
      const beganMs = performance.now()
      if (beganMs < dueMs) return
      const record = rest()
      reached = new Map()
      measures = new Map()
      await recordRun(record)
      const endedMs = performance.now()
      dueMs = endedMs + Math.max(shortestPauseMs, Math.min(longestPauseMs, (endedMs - beganMs) * shareOfTime))
    },
    rest,
  }
}

function measureOf(result: JobResult, endedAtMs: number): Measure {
  return {
    job: result.name,
    pipeline: result.pipeline,
    endedAtMs,
    milliseconds: result.seconds * 1000,
    records: result.kind === 'range' ? result.records : 0,
    requests: result.pages,
  }
}
