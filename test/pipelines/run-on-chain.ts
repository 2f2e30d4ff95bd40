import type { Pipeline } from '../../src/define/index.ts'
import { runPipelines } from '../../src/run/jobs/run-pipelines.ts'
import { jobOf } from '../run/job-of.ts'
import { query } from '../run/lake-run.ts'

export type ChainRun = {
  readonly lake: string
  readonly url: string
  readonly values?: Record<string, unknown>
  readonly pipeline: Pipeline
}

/** Runs a pipeline once with the node at a URL. */
export function runOnChain({ lake, url, values = {}, pipeline }: ChainRun) {
  return runPipelines({
    nodeUrl: url,
    lake: { folder: lake },
    jobs: [jobOf(pipeline, values)],
    stop: new AbortController().signal,
    emit: () => undefined,
  })
}

/** The number of rows of a table, a view or a subquery. */
export async function countRows(lake: string, relation: string): Promise<number> {
  const [row] = await query(lake, `SELECT count(*)::INT AS n FROM ${relation}`)
  return row!['n'] as number
}
