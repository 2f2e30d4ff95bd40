import { ChainlakeError, type ConfigError, type ErrorFacts } from '../../errors.ts'
import { revivedError } from '../job/error-parts.ts'
import type { EmitEvent } from '../job/events.ts'
import type { Job } from '../job/job.ts'
import { earliest, type Postponement } from '../job/postponement.ts'
import { waitUnlessStopped } from '../job/wait.ts'
import { addResults, type JobResult, jobResult } from '../rows/job-result.ts'
import { isUnfit } from './judge-failure.ts'
import type { JobTasks } from './plan-tasks.ts'
import type { Queue, TaskOutput, TaskState } from './queue.ts'
import { taskText } from './task.ts'

/** A job with its tasks in the queue. */
export type QueuedJob = {
  readonly job: Job
  readonly range: JobTasks['range']
  readonly ids: readonly string[]
  readonly tasks: number
}

export type Followed = {
  readonly results: readonly JobResult[]
  /** The errors of failed tasks, and the names of their jobs. */
  readonly failures: readonly { readonly job: string; readonly error: Error }[]
}

const pollMs = 1_000
/** Milliseconds in which no worker has worked on a task before a warning. */
const lonelyMs = 10_000
const lonely =
  'No worker has taken a task yet. Start workers: chainlake worker, with the same --lake and configuration.'
const unfit = 'No running worker can do the tasks that are left. They wait for a worker that can.'
const unreached = 'The queue cannot be reached; chainlake retries until it can.'
const ended = ['completed', 'cancelled', 'failed']

type States = ReadonlyMap<QueuedJob, readonly TaskState[]>
type FollowOptions = { readonly stop: AbortSignal; readonly emit: EmitEvent }

/**
 * Waits until the tasks of all jobs have ended or are postponed, and reports their progress. At `stop` it returns what it knows; the
 * workers continue.
 */
export async function followTasks(
  jobs: readonly QueuedJob[],
  queue: Pick<Queue, 'states' | 'isTended'>,
  { stop, emit }: FollowOptions,
): Promise<Followed> {
  const beganMs = performance.now()
  const retried = new Set<string>()
  const poll = createPoll(queue, emit)
  const warnWhenIdle = createIdleWarnings(queue, emit)
  let states: States = new Map(jobs.map((queued) => [queued, []]))
  for (;;) {
    const polled = await poll(states)
    if (polled === null) {
      if (stop.aborted) return ending(states, { beganMs, interrupted: true })
      await waitUnlessStopped(pollMs, stop)
      continue
    }
    states = polled
    const all = [...states.values()].flat()
    for (const [queued, own] of states) emitProgress(queued, own, emit)
    for (const task of all) warnOfRetry(task, retried, emit)
    const open = all.filter(({ state }) => !ended.includes(state))
    if (open.every(isPostponed)) return ending(states, { beganMs, interrupted: false })
    if (stop.aborted) {
      emit({ kind: 'notice', message: unfollowed, details: { left: open.length } })
      return ending(states, { beganMs, interrupted: true })
    }
    await warnWhenIdle(all)
    await waitUnlessStopped(pollMs, stop)
  }
}

const unfollowed = 'This command no longer follows the tasks; workers continue with the remaining ones.'

/** Reads the states of tasks; resolves to null while the queue cannot be reached, which it reports once per outage. */
function createPoll(queue: Pick<Queue, 'states'>, emit: EmitEvent): (states: States) => Promise<States | null> {
  let isDown = false
  return async (states) => {
    try {
      const now = await statesOf(states, queue)
      if (isDown) emit({ kind: 'notice', message: 'The queue can be reached again.' })
      isDown = false
      return now
    } catch (error) {
      // The workers wait for the queue as well.
      if (!isDown) emit({ kind: 'warning', message: unreached, details: { reason: reasonOf(error) } })
      isDown = true
      return null
    }
  }
}

/** Reports the first retry of a task. */
function warnOfRetry({ id, state, task, output }: TaskState, retried: Set<string>, emit: EmitEvent): void {
  if (state !== 'retry' || output?.error === undefined || retried.has(id) || leftBy(output) !== null) return
  retried.add(id)
  emit({ kind: 'warning', message: `${taskText(task)}: ${output.error.message} The task is retried.` })
}

/** Warns once when no worker takes a task for some time, and once when workers only leave tasks for that long. */
function createIdleWarnings(
  queue: Pick<Queue, 'isTended'>,
  emit: EmitEvent,
): (tasks: readonly TaskState[]) => Promise<void> {
  let [busyMs, endedTasks] = [performance.now(), 0]
  const warned = new Set<string>()
  const warn = (message: string, details: ErrorFacts): void => {
    if (!warned.has(message)) emit({ kind: 'warning', message, details, once: true })
    warned.add(message)
  }
  return async (tasks) => {
    const over = tasks.filter(({ state }) => ended.includes(state)).length
    if (over > endedTasks || tasks.some(({ state }) => state === 'active')) busyMs = performance.now()
    endedTasks = over
    if (performance.now() - busyMs <= lonelyMs) return
    const left = tasks.flatMap(({ state, output }) => (state === 'retry' ? (leftBy(output) ?? []) : []))[0]
    if (left !== undefined) warn(unfit, { reason: left.message, ...left.details, hint: left.hint })
    else if (!warned.has(lonely) && (await isAlone(tasks, queue))) warn(lonely, {})
  }
}

/** The reason why a worker has left a task to others; null if none has. */
function leftBy(output: TaskOutput | null): ConfigError | null {
  const error = output?.error === undefined ? null : revivedError(output.error)
  return isUnfit(error) ? error : null
}

/** Whether no worker has started any of the tasks, or works on tasks that were queued earlier. */
async function isAlone(tasks: readonly TaskState[], queue: Pick<Queue, 'isTended'>): Promise<boolean> {
  if (tasks.length === 0 || tasks.some(({ state }) => state !== 'created')) return false
  return !(await queue.isTended().catch(() => true))
}

/** The current states of all tasks. Tasks that have ended are not queried again. */
async function statesOf(
  before: ReadonlyMap<QueuedJob, readonly TaskState[]>,
  queue: Pick<Queue, 'states'>,
): Promise<Map<QueuedJob, readonly TaskState[]>> {
  return new Map(
    await Promise.all(
      [...before].map(async ([queued, known]) => {
        const over = known.filter(({ state }) => ended.includes(state))
        const ids = new Set(over.map(({ id }) => id))
        const open = queued.ids.filter((id) => !ids.has(id))
        return [queued, open.length === 0 ? over : [...over, ...(await queue.states(open))]] as const
      }),
    ),
  )
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Whether a task waits for a time that its source has requested. */
function isPostponed({ state, output, startAfter }: TaskState): boolean {
  return state === 'retry' && output?.postponed !== undefined && startAfter.getTime() > Date.now()
}

function emitProgress({ job, tasks }: QueuedJob, states: readonly TaskState[], emit: EmitEvent): void {
  if (tasks === 0) return
  const results = resultsOf(states)
  const sum = (name: 'rows' | 'bytes') =>
    results.reduce((total, { tables }) => total + tables.reduce((all, table) => all + table[name], 0), 0)
  // The queue deletes tasks that ended long ago.
  const open = states.filter(({ state }) => !ended.includes(state)).length
  emit({
    kind: 'progress',
    pipeline: job.name,
    done: tasks - open,
    total: tasks,
    rows: sum('rows'),
    bytes: sum('bytes'),
  })
}

function resultsOf(states: readonly TaskState[]): JobResult[] {
  return states.flatMap(({ state, output }) => (state === 'completed' ? (output?.result ?? []) : []))
}

function ending(
  states: ReadonlyMap<QueuedJob, readonly TaskState[]>,
  { beganMs, interrupted }: { readonly beganMs: number; readonly interrupted: boolean },
): Followed {
  const failures: { job: string; error: Error }[] = []
  const results: JobResult[] = []
  for (const [queued, own] of states) {
    const postponed: Postponement[] = own.filter(isPostponed).flatMap(({ output }) => output?.postponed ?? [])
    const sum = resultsOf(own).reduce<JobResult | undefined>(addResults, undefined)
    results.push({
      ...(sum ?? nothingDone(queued)),
      ...(queued.range === null ? {} : { head: queued.range.head }),
      seconds: (performance.now() - beganMs) / 1000,
      upToDate: !interrupted && (sum?.upToDate ?? true),
      postponed: earliest(postponed),
      interrupted,
    })
    for (const task of own)
      if (task.state === 'failed' || task.state === 'cancelled')
        failures.push({ job: queued.job.name, error: failureOf(task) })
  }
  return { results, failures }
}

function nothingDone({ job, range }: QueuedJob): JobResult {
  const outline = { name: job.name, pipeline: job.pipeline.name, streams: 0, tables: [], range }
  return jobResult(outline, range === null ? {} : { head: range.head })
}

function failureOf({ task, state, output }: TaskState): Error {
  if (output?.error !== undefined) return revivedError(output.error)
  const reason = state === 'cancelled' ? 'it was cancelled' : (output?.value?.message ?? 'no reason was recorded')
  return new ChainlakeError(`A task failed: ${reason}.`, 1, 'work.failed', {
    details: { task: taskText(task) },
    hint: 'Run again: committed slices are skipped.',
  })
}
