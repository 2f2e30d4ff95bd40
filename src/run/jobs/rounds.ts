import { ChainlakeError, HttpError } from '../../errors.ts'
import { longestPauseMs } from '../../lib/pause.ts'
import type { EmitEvent } from '../job/events.ts'
import { type Job, readsService } from '../job/job.ts'
import { waitUnlessStopped } from '../job/wait.ts'
import { addResults, type JobResult } from '../rows/job-result.ts'
import { isPassing, type Outage, type Outages } from './outage.ts'

export type RoundsOptions = {
  readonly jobs: readonly Job[]
  /** Keep going, each job at least this often; null: one round. */
  readonly followMs: number | null
  /** `failed` is told what was done before a failure. */
  readonly runOne: (job: Job, failed: (partial: JobResult) => void) => Promise<JobResult>
  /** What is done after each round of a run that goes on. */
  readonly afterRound: () => Promise<void>
  /** Waits for the next round, or until `stop`. */
  readonly wait: (milliseconds: number) => Promise<void>
  readonly outages: Outages
  readonly stop: AbortSignal
  readonly emit: EmitEvent
}

export type RoundsResult = { readonly results: Map<Job, JobResult>; readonly failures: Error[] }

type JobState = {
  readonly job: Job
  readonly outage: Outage
  /** When it is run next (`performance.now()`); Infinity: never again. */
  dueMs: number
  /** It has had a round without a failure. */
  served: boolean
  /** The last round was without a failure. */
  waits: boolean
}

/**
 * Runs jobs one after another, once or until `stop`. While following, a job that fails in a way that may pass is tried again with
 * growing pauses, one that is postponed pauses until it may go on, and any other failure ends that job alone; `told` gets all
 * results and failures, also when this throws.
 */
export async function runRounds(options: RoundsOptions, told: RoundsResult): Promise<void> {
  const { jobs, followMs, wait, stop, emit, outages } = options
  const states = jobs.map(
    (job): JobState => ({ job, outage: outages.of(job.name), dueMs: 0, served: false, waits: false }),
  )
  const showing = outages.of('The views')
  const mayPass = (error: unknown): boolean => !stop.aborted && isPassing(error)
  for (;;) {
    const roundMs = performance.now()
    const due = states.filter(({ dueMs }) => dueMs <= roundMs)
    for (const state of due) {
      if (stop.aborted) return
      if (followMs === null) told.results.set(state.job, await options.runOne(state.job, () => undefined))
      else await follow(state, roundMs + followMs)
    }
    if (followMs === null || stop.aborted || states.every(({ dueMs }) => dueMs === Number.POSITIVE_INFINITY)) return
    const shown = await showing.attempt(options.afterRound, mayPass)
    for (const { job, waits } of due) {
      const result = told.results.get(job)
      if (result === undefined || !waits) continue
      emit({
        kind: 'waiting',
        pipeline: job.name,
        ...(result.kind === 'containers' ? { head: result.head ?? -1, byHeight: result.byHeight } : { head: null }),
      })
    }
    const nextMs = Math.min(...states.map(({ dueMs }) => dueMs))
    const restMs = (): number => Math.max(0, nextMs - performance.now())
    const waited = 'againInMs' in shown ? shown : await showing.attempt(() => wait(restMs()), mayPass)
    if ('againInMs' in waited) await waitUnlessStopped(Math.min(waited.againInMs, restMs()), stop)
  }

  async function follow(state: JobState, nextMs: number): Promise<void> {
    const { job, outage } = state
    const add = (result: JobResult): void => void told.results.set(job, addResults(told.results.get(job), result))
    state.waits = false
    try {
      const outcome = await outage.attempt(
        () => options.runOne(job, add),
        (error) => mayPass(error) || (!stop.aborted && isRestarting(error, state)),
      )
      if ('againInMs' in outcome) {
        state.dueMs = performance.now() + outcome.againInMs
        return
      }
      add(outcome.done)
      state.served = true
      state.waits = true
      state.dueMs = pausedUntil(job, outcome.done) ?? nextMs
    } catch (error) {
      if (stop.aborted || !(error instanceof ChainlakeError)) throw error
      // Followed for weeks, jobs do not fall with one whose failure stays; it is told now and at the end.
      state.dueMs = Number.POSITIVE_INFINITY
      told.failures.push(error)
      if (states.some(({ dueMs }) => dueMs < Number.POSITIVE_INFINITY))
        emit({ kind: 'warning', message: `${job.name} ended; the other jobs go on: ${error.message}` })
    }
  }

  function pausedUntil(job: Job, { postponed }: JobResult): number | null {
    if (postponed === null) return null
    const nowMs = Date.now()
    const pauseMs = Math.min(longestPauseMs, Math.max(1000, Date.parse(postponed.resumeAt) - nowMs))
    const until = new Date(nowMs + pauseMs).toISOString()
    emit({ kind: 'warning', message: `${job.name} pauses until ${until}: ${postponed.reason}` })
    return performance.now() + pauseMs
  }
}

/** A node that starts answers 404 for chains that it has not opened yet; one that served the job before has them. */
function isRestarting(error: unknown, { job, served }: JobState): boolean {
  return served && !readsService(job.pipeline) && error instanceof HttpError && error.status === 404
}
