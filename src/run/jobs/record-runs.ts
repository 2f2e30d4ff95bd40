import type { Catalog, Measure, RunRecord } from '../../catalog/catalog.ts'
import type { StreamDeclaration } from '../../define/index.ts'
import { streamId } from '../../model.ts'
import type { JobResult } from '../rows/job-result.ts'

/** Remembers what rounds of jobs reached and took until it is written: rarely while a run goes on, the rest with its end. */
export type RunRecorder = {
  readonly done: (streams: readonly StreamDeclaration[], result: JobResult) => void
  /** Writes when the last time is a minute ago. */
  readonly afterRound: () => Promise<void>
  /** What is not written yet. */
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
      // Where something is left to do, the head is not reached; what it took says nothing of a whole run.
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
    records: result.kind === 'containers' ? result.containers : 0,
    requests: result.pages,
  }
}
