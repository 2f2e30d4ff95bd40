import { ChainlakeError, HttpError } from '../../errors.ts'
import { longestPauseMs } from '../../lib/pause.ts'
import type { HeadWatch } from '../heads/head-watch.ts'
import type { EmitEvent } from '../job/events.ts'
import { type Job, readsNode } from '../job/job.ts'
import { waitUnlessStopped } from '../job/wait.ts'
import { addResults, type JobResult } from '../rows/job-result.ts'
import { isTransient, type Outage, type Outages } from './outage.ts'

export type RoundsOptions = {
  readonly jobs: readonly Job[]
  /** Follow the chain, with a round of each job at least this often (milliseconds); null: one round. */
  readonly followMs: number | null
  readonly runOne: (job: Job, on: RoundListener) => Promise<JobResult>
  /** Called after each round while following. */
  readonly afterRound: () => Promise<void>
  /** Waits for the next round, or until `ended`. */
  readonly wait: (milliseconds: number, ended: AbortSignal) => Promise<void>
  /** Says when the next round of a job is due; null: after `followMs`. */
  readonly watchOf: (job: Job) => HeadWatch | null
  /** A signal that is aborted at `stop`, and when a watch may have made a round due. */
  readonly nextWake: () => AbortSignal
  readonly outages: Outages
  readonly stop: AbortSignal
  readonly emit: EmitEvent
}

/** `failed` is called with the partial result of a job that fails, `over` when no later round can find more. */
type RoundListener = { readonly failed: (partial: JobResult) => void; readonly over: () => void }

export type RoundsResult = { readonly results: Map<Job, JobResult>; readonly failures: Error[] }

type JobState = {
  readonly job: Job
  readonly outage: Outage
  readonly watch: HeadWatch | null
  /** Time of the next round (`performance.now()`), which a watch may change; Infinity: the job has ended. */
  dueMs: () => number
  /** Whether any round of the job has succeeded. */
  hasSucceeded: boolean
  /** Whether the last round succeeded, so that the job waits for the next one. */
  isWaiting: boolean
}

/**
 * Runs jobs one after another, once or until `stop`. While following, a job is retried with growing pauses after a transient failure, and
 * pauses while it is postponed. Any other failure ends that job only, and so does the end of its range. Results and failures are added to
 * `outcome`, also when this throws.
 */
export async function runRounds(options: RoundsOptions, outcome: RoundsResult): Promise<void> {
  const { followMs } = options
  if (followMs !== null) return followJobs({ ...options, followMs }, outcome)
  for (const job of options.jobs) {
    if (options.stop.aborted) return
    outcome.results.set(job, await runRound(job, { failed: () => undefined, over: () => undefined }, options))
  }
}

async function runRound(
  job: Job,
  on: RoundListener,
  { runOne, emit }: Pick<RoundsOptions, 'runOne' | 'emit'>,
): Promise<JobResult> {
  emit({ kind: 'round', pipeline: job.name, is: 'begun' })
  const result = await runOne(job, on)
  const isAtHead = !result.interrupted && result.postponed === null
  emit({ kind: 'round', pipeline: job.name, is: 'ended', ...(isAtHead ? { atHead: true } : {}) })
  return result
}

type FollowOptions = RoundsOptions & { readonly followMs: number }

async function followJobs(options: FollowOptions, outcome: RoundsResult): Promise<void> {
  const { jobs, wait, stop, outages } = options
  const states = jobs.map(
    (job): JobState => ({
      job,
      outage: outages.of(job.name),
      watch: options.watchOf(job),
      dueMs: () => 0,
      hasSucceeded: false,
      isWaiting: false,
    }),
  )
  const views = outages.of('The views')
  const mayRetry = (error: unknown): boolean => !stop.aborted && isTransient(error)
  for (;;) {
    const roundMs = performance.now()
    const due = states.filter(({ dueMs }) => dueMs() <= roundMs)
    await followDue(due, states, roundMs, options, outcome)
    if (stop.aborted || states.every(hasEnded)) return
    const published = await views.attempt(options.afterRound, mayRetry)
    for (const state of due) if (state.isWaiting) emitWaiting(state, outcome.results.get(state.job), options)
    const nextMs = Math.min(...states.map(({ dueMs }) => dueMs()))
    const restMs = (): number => Math.max(0, nextMs - performance.now())
    const waited =
      'againInMs' in published ? published : await views.attempt(() => wait(restMs(), options.nextWake()), mayRetry)
    if ('againInMs' in waited) await waitUnlessStopped(Math.min(waited.againInMs, restMs()), stop)
  }
}

/** Runs one round of each job that is due, until `stop`. */
async function followDue(
  due: readonly JobState[],
  states: readonly JobState[],
  roundMs: number,
  options: FollowOptions,
  outcome: RoundsResult,
): Promise<void> {
  for (const state of due) {
    if (options.stop.aborted) return
    const failure = await followJob(state, roundMs, options, outcome)
    if (failure !== null && !states.every(hasEnded))
      options.emit({
        kind: 'warning',
        message: `${state.job.name} ended; the other jobs continue: ${failure.message}`,
      })
  }
}

/** Runs one round of a job and decides when the next one is due. Resolves to the failure that ends the job. */
async function followJob(
  state: JobState,
  roundMs: number,
  options: FollowOptions,
  outcome: RoundsResult,
): Promise<ChainlakeError | null> {
  const { followMs, stop, emit } = options
  const { job, watch } = state
  const add = (result: JobResult): void => void outcome.results.set(job, addResults(outcome.results.get(job), result))
  let isOver = false
  const on = {
    failed: add,
    over: () => {
      isOver = true
    },
  }
  state.isWaiting = false
  watch?.roundBegins()
  try {
    const attempted = await state.outage.attempt(
      () => runRound(job, on, options),
      (error) => !stop.aborted && (isTransient(error) || isRestarting(error, state)),
    )
    if ('againInMs' in attempted) {
      const againMs = performance.now() + attempted.againInMs
      state.dueMs = () => againMs
      return null
    }
    add(attempted.done)
    state.hasSucceeded = true
    state.isWaiting = !isOver
    watch?.roundEnds(attempted.done.kind === 'range' ? attempted.done.head : null)
    const pausedMs = pausedUntil(attempted.done, job, emit)
    const next = isOver ? () => Number.POSITIVE_INFINITY : () => roundMs + (watch?.intervalMs() ?? followMs)
    state.dueMs = pausedMs === null ? next : () => pausedMs
    return null
  } catch (error) {
    if (stop.aborted || !(error instanceof ChainlakeError)) throw error
    // A run that follows for weeks must not end because one job fails. The failure is reported now and at the end.
    state.dueMs = () => Number.POSITIVE_INFINITY
    outcome.failures.push(error)
    return error
  }
}

function hasEnded({ dueMs }: JobState): boolean {
  return dueMs() === Number.POSITIVE_INFINITY
}

function emitWaiting({ job, dueMs }: JobState, result: JobResult | undefined, { emit }: FollowOptions): void {
  if (result === undefined) return
  emit({
    kind: 'waiting',
    pipeline: job.name,
    ...(result.kind === 'range' ? { head: result.head ?? -1, record: result.record } : { head: null }),
    nextMs: Math.max(0, Math.round(dueMs() - performance.now())),
  })
}

/** When a postponed job is due again (`performance.now()`); null when it is not postponed. */
function pausedUntil({ postponed }: JobResult, job: Job, emit: EmitEvent): number | null {
  if (postponed === null) return null
  const nowMs = Date.now()
  const pauseMs = Math.min(longestPauseMs, Math.max(1000, Date.parse(postponed.resumeAt) - nowMs))
  const until = new Date(nowMs + pauseMs).toISOString()
  emit({ kind: 'warning', message: `${job.name} pauses until ${until}: ${postponed.reason}` })
  return performance.now() + pauseMs
}

/** A starting node responds with 404 for chains that it has not opened yet. If it served the job before, it has these chains. */
function isRestarting(error: unknown, { job, hasSucceeded }: JobState): boolean {
  return hasSucceeded && readsNode(job.pipeline) && error instanceof HttpError && error.status === 404
}
