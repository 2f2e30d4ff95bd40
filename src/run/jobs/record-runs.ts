import type { Catalog, Measure, RunRecord } from '../../catalog/catalog.ts'
import type { StreamDeclaration } from '../../define/index.ts'
import { streamId } from '../../model.ts'
import type { JobResult } from '../rows/job-result.ts'

/** Collects what rounds of jobs have reached and how long they took. Written at intervals, and at the end of the run. */
export type RunRecorder = {
  readonly done: (streams: readonly StreamDeclaration[], result: JobResult) => void
  /** Writes if the last time was at least a minute ago. */
  readonly afterRound: () => Promise<void>
  /** The records that are not written yet. */
  readonly rest: () => RunRecord
}

const everyMs = 60_000

export function createRunRecorder({ recordRun }: Pick<Catalog, 'recordRun'>): RunRecorder {
  let reached = new Map<string, number>()
  let measures = new Map<string, Measure>()
  let writtenMs = Number.NEGATIVE_INFINITY
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
      if (performance.now() - writtenMs < everyMs) return
      writtenMs = performance.now()
      const record = rest()
      reached = new Map()
      measures = new Map()
      await recordRun(record)
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
