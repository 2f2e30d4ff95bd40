import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import type { RangeResult, RunEvent } from '../../src/run/events.ts'
import { runPipelines } from '../../src/run/jobs/run-pipelines.ts'
import type { RunOptions, RunSummary } from '../../src/run/jobs/start-jobs.ts'
import { jobOf } from './job-of.ts'

export type ExportOptions = Partial<Omit<RunOptions, 'nodeUrl' | 'lake' | 'emit'>> & {
  readonly from?: number
  readonly to?: number
  readonly unit?: number
  readonly node: { readonly url: string }
  readonly lake: string
  readonly raw?: boolean
  readonly onEvent?: (event: RunEvent) => void
}

export type Exported = {
  readonly summary: Omit<RunSummary, 'jobs'> & { readonly jobs: readonly RangeResult[] }
  readonly events: readonly RunEvent[]
}

/** Runs the pipeline p-blocks, or other jobs, in this process. */
export async function exportLake(options: ExportOptions): Promise<Exported> {
  const { node, lake, raw = false, onEvent, from, to, unit = 200, ...rest } = options
  const events: RunEvent[] = []
  const job = jobOf(pBlocksPipeline, { from, to, unit, raw })
  const summary = await runPipelines({
    jobs: [job],
    stop: new AbortController().signal,
    ...rest,
    nodeUrl: node.url,
    lake: { folder: lake },
    emit: (event) => {
      events.push(event)
      onEvent?.(event)
    },
  })
  return { summary: { ...summary, jobs: summary.jobs.filter((done) => done.kind === 'range') }, events }
}

/** Slices of the commits, in order. */
export function committedSlices(events: readonly RunEvent[]): [from: number, to: number][] {
  return events.flatMap((event) => {
    const slice = event.kind === 'committed' ? event.slice : null
    return slice === null ? [] : [[slice.from, slice.to]]
  })
}

export function warnings(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) => (event.kind === 'warning' ? [event.message] : []))
}
