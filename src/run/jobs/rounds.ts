import { ChainlakeError, HttpError, RpcError } from '../../errors.ts'
import { durationText } from '../../lib/text.ts'
import { longestPauseMs } from '../../lib/wait.ts'
import { waitUnlessStopped } from '../error-parts.ts'
import { addResults, type EmitEvent, type JobResult, type RunEvent } from '../events.ts'
import type { HeadWatch, watchJobs } from '../heads/watch-heads.ts'
import type { Job } from '../job.ts'
import type { Round } from './run-job.ts'

type OutageOptions = {
  readonly emit: EmitEvent
  /** Milliseconds before the first retry; at most five seconds. */
  readonly pauseMs: number
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
}

const longestFirstPauseMs = 5_000
const longestRetryMs = 5 * 60_000
const reportEveryMs = 60 * 60_000

export type Outages = ReturnType<typeof createOutages>
type Outage = ReturnType<Outages['of']>

/** Retries steps while a run follows the chain, as long as their failures are transient. */
export function createOutages({ emit, pauseMs, now = () => performance.now() }: OutageOptions) {
  let isQuiet = false
  const of = (name: string) => {
    let failures = 0
    let sinceMs = 0
    let reportedMs = 0
    const report = (error: ChainlakeError, againInMs: number): void => {
      const first = failures === 1
      if (!first && now() - reportedMs < reportEveryMs) return
      reportedMs = now()
      if (first) sinceMs = reportedMs
      const lasts = first ? '' : ` This has lasted ${durationText((reportedMs - sinceMs) / 1000)}.`
      emit({
        kind: 'warning',
        message: `${name}: ${error.message}${lasts} chainlake retries until it succeeds.`,
        details: { ...error.details, 'next try in': durationText(againInMs / 1000) },
      })
    }
    const over = (): void => {
      if (failures === 0) return
      const lasted = durationText((now() - sinceMs) / 1000)
      emit({ kind: 'notice', message: `${name}: recovered after ${lasted}.`, details: { tries: failures } })
      failures = 0
    }
    return {
      /**
       * Runs a step. A transient failure is reported when it begins, at intervals while it lasts, and when it is over. Returns the milliseconds
       * until the next attempt, which grow. Throws any other failure.
       */
      async attempt<T>(
        step: () => Promise<T>,
        mayRetry: (error: ChainlakeError) => boolean = ({ retryable }) => retryable,
      ): Promise<{ done: T } | { againInMs: number }> {
        isQuiet = failures > 0
        try {
          const done = await step()
          over()
          return { done }
        } catch (error) {
          if (!(error instanceof ChainlakeError && mayRetry(error))) throw error
          failures++
          const againInMs = Math.min(
            longestRetryMs,
            Math.min(pauseMs, longestFirstPauseMs) * 2 ** Math.min(failures - 1, 30),
          )
          report(error, againInMs)
          return { againInMs }
        } finally {
          isQuiet = false
        }
      },
    }
  }
  return {
    of,
    /** Emits events, except retries of single requests during a reported outage. */
    emit: (event: RunEvent): void => {
      if (!(isQuiet && event.kind === 'retry')) emit(event)
    },
  }
}

/** Retries a step until it succeeds, also while it is postponed. Throws permanent failures and the reason of `stop`. */
export async function untilItSucceeds<T>(outage: Outage, step: () => Promise<T>, stop: AbortSignal): Promise<T> {
  for (;;) {
    const outcome = await outage.attempt(
      step,
      (error) => !stop.aborted && (error.retryable || error.kind === 'postponed'),
    )
    if ('done' in outcome) return outcome.done
    await waitUnlessStopped(outcome.againInMs, stop)
    stop.throwIfAborted()
  }
}

type FollowOptions = {
  readonly jobs: readonly Job[]
  /** A round of each job takes place at least this often (milliseconds). */
  readonly followMs: number
  readonly runOne: (job: Job) => Promise<Round>
  readonly afterRound: () => Promise<void>
  readonly wait: (milliseconds: number, ended: AbortSignal) => Promise<void>
  /** Says when the next round of a job is due; null: after `followMs`. */
  readonly watches: Pick<ReturnType<typeof watchJobs>, 'of' | 'nextWake'>
  readonly outages: Outages
  readonly stop: AbortSignal
  readonly emit: EmitEvent
}

export type RoundsResult = { readonly results: Map<Job, JobResult>; readonly failures: Error[] }

type JobState = {
  readonly job: Job
  readonly outage: Outage
  readonly watch: HeadWatch | null
  /** Time of the next round (`performance.now()`), which a watch may change; Infinity: the job has ended. */
  dueMs: () => number
  hasSucceeded: boolean
  /** Whether the last round succeeded, so that the job waits for the next one. */
  isWaiting: boolean
}

/**
 * Runs jobs one after another until `stop`. A job is retried with growing pauses after a transient failure, and pauses while it is postponed.
 * Any other failure ends that job only, and so does the end of its range. Results and failures are added to `outcome`, also when this throws.
 */
export async function followJobs(options: FollowOptions, outcome: RoundsResult): Promise<void> {
  const { jobs, wait, stop, outages } = options
  const states = jobs.map(
    (job): JobState => ({
      job,
      outage: outages.of(job.name),
      watch: options.watches.of(job),
      dueMs: () => 0,
      hasSucceeded: false,
      isWaiting: false,
    }),
  )
  const views = outages.of('The views')
  const mayRetry = ({ retryable }: ChainlakeError): boolean => !stop.aborted && retryable
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
      'againInMs' in published
        ? published
        : await views.attempt(() => wait(restMs(), options.watches.nextWake()), mayRetry)
    if ('againInMs' in waited) await waitUnlessStopped(Math.min(waited.againInMs, restMs()), stop)
  }
}

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
  state.isWaiting = false
  watch?.roundBegins()
  try {
    const attempted = await state.outage.attempt(
      async () => {
        const { result, failure, isOver } = await options.runOne(job)
        add(result)
        if (failure !== null) throw failure
        return { result, isOver }
      },
      (error) => !stop.aborted && (error.retryable || passesAtKnownNode(error, state)),
    )
    if ('againInMs' in attempted) {
      const againMs = performance.now() + attempted.againInMs
      state.dueMs = () => againMs
      return null
    }
    const { result, isOver } = attempted.done
    state.hasSucceeded = true
    state.isWaiting = !isOver
    watch?.roundEnds(result.kind === 'range' ? result.head : null)
    const pausedMs = pausedUntil(result, job, emit)
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

/**
 * What passes if the node has served the job before: a starting node responds with 404 for chains that it has not opened yet, and a node behind a
 * balancer says in its own words that it does not have the newest block yet. Damaged data does not pass: see `DecodeError`.
 */
function passesAtKnownNode(error: ChainlakeError, { job, hasSucceeded }: JobState): boolean {
  if (!hasSucceeded || job.pipeline.reads !== 'node') return false
  return error instanceof RpcError ? error.kind === 'lagging' : error instanceof HttpError && error.status === 404
}
