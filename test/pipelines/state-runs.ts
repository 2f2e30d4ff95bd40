import type { Pipeline } from '../../src/define/index.ts'
import type { RunEvent } from '../../src/run/events.ts'
import { runPipelines } from '../../src/run/jobs/run-pipelines.ts'
import { jobOf } from '../run/job-of.ts'

export type StateJob = readonly [Pipeline, Readonly<Record<string, unknown>>]

/** Runs jobs once over the EVM chain at a URL. */
export async function runState(
  lake: string,
  chain: string,
  jobs: readonly StateJob[],
  emit: (event: RunEvent) => void = () => undefined,
) {
  const summary = await runPipelines({
    nodeUrl: 'http://127.0.0.1:1',
    lake: { folder: lake },
    jobs: jobs.map(([pipeline, values], at) => ({ ...jobOf(pipeline, { chain, ...values }), name: `job-${at}` })),
    stop: new AbortController().signal,
    emit,
  })
  return summary.jobs
}
