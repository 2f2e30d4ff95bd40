import { CatalogError, ChainlakeError, ConfigError, type ErrorFacts, StorageError } from '../../errors.ts'
import { groupBy, sumOf } from '../../lib/arrays.ts'
import { createConnections } from '../connections/connections.ts'
import { revivedError, waitUnlessStopped } from '../error-parts.ts'
import {
  addResults,
  type EmitEvent,
  earliest,
  type JobResult,
  jobResult,
  type Postponement,
  withoutRepeats,
} from '../events.ts'
import type { Job } from '../job.ts'
import { createRunRecorder } from '../jobs/run-job.ts'
import { type RunOptions, type RunSummary, runSummary } from '../jobs/start-jobs.ts'
import { publishLatest } from '../publish/publisher.ts'
import { type JobTasks, planLake } from './plan-tasks.ts'
import { createReach, type Queue, type TaskOutput, type TaskState, type WorkSession } from './queue.ts'
import { taskText } from './task.ts'

type QueueingOptions = RunOptions & {
  /** Seconds after which a worker without a heartbeat loses its task to another worker. */
  readonly leaseSeconds: number
  readonly session: WorkSession
}

/**
 * Plans jobs, queues tasks for workers, and waits until all tasks are done. Workers continue with queued tasks even if this ends early.
 * Throws the error of the first failed task.
 */
export async function runWithWorkers(given: QueueingOptions): Promise<RunSummary> {
  const options = { ...given, emit: withoutRepeats(given.emit) }
  const { lake, jobs, stop, emit, session } = options
  const { queue, inTurn } = session
  const connections = createConnections(options)
  try {
    const plan = async () => {
      const { planned, ...lakePlan } = await planLake(options, connections, 'run --workers')
      const queued: QueuedJob[] = []
      for (const [job, { tasks, range }] of planned)
        queued.push({ job, range, ids: await queue.put(tasks, options.leaseSeconds), tasks: tasks.length })
      return { ...lakePlan, queued }
    }
    const { started, catalog, runId, queued } = await untilReached(() => inTurn(plan), { stop, emit })
    const followed = await followTasks(queued, queue, { stop, emit })
    const recorder = createRunRecorder(catalog)
    const failed = new Set(followed.failures.map(({ job }) => job))
    for (const result of followed.results)
      if (!failed.has(result.name))
        recorder.done(started.get(jobs.find(({ name }) => name === result.name)!)!.streams, result)
    if (!stop.aborted) {
      await untilReached(() => catalog.recordRun(recorder.rest()), { stop, emit })
      await untilReached(() => inTurn(() => publishLatest(lake, stop)), { stop, emit })
    }
    const [first, ...others] = followed.failures
    for (const [message, alike] of groupBy(others, ({ error }) => error.message))
      emit({ kind: 'warning', message: `Another failure followed: ${message}`, details: { tasks: alike.length } })
    if (first !== undefined) throw first.error
    const streams = [...started.values()].flatMap((each) => each.streams.map(({ stream }) => stream))
    const unfinished = followed.results.filter(({ interrupted }) => interrupted).map(({ name }) => name)
    return runSummary(streams, followed.results, { runId, busy: [], unfinished, stop })
  } finally {
    await connections.close()
  }
}

type QueuedJob = {
  readonly job: Job
  readonly range: JobTasks['range']
  readonly ids: readonly string[]
  readonly tasks: number
}

const pollMs = 1_000
/** Milliseconds in which no worker has worked on a task before a warning. */
const lonelyMs = 10_000
const lonely =
  'No worker has taken a task yet. Start workers: chainlake worker, with the same --lake and configuration.'
const unfit = 'No running worker can do the tasks that are left. They wait for a worker that can.'
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
) {
  const beganMs = performance.now()
  const retried = new Set<string>()
  const reach = createReach(emit)
  const warnWhenIdle = createIdleWarnings(queue, emit)
  let states: States = new Map(jobs.map((queued) => [queued, []]))
  for (;;) {
    // The workers wait for the queue as well.
    const polled = await reach(() => statesOf(states, queue))
    if (polled === null) {
      if (stop.aborted) return ending(states, { beganMs, interrupted: true })
      await waitUnlessStopped(pollMs, stop)
      continue
    }
    states = polled.done
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

/**
 * Does work again while the database does not answer, as workers do: it restarts, or the network fails. A task that is planned again is not
 * queued a second time.
 */
export async function untilReached<T>(work: () => Promise<T>, { stop, emit }: FollowOptions): Promise<T> {
  const reach = createReach(emit, (error) => !stop.aborted && passes(error))
  for (;;) {
    const outcome = await reach(work)
    if (outcome !== null) return outcome.done
    await waitUnlessStopped(pollMs, stop)
  }
}

/** Whether the database does not answer, or has lost this process while it did not. */
function passes(error: unknown): boolean {
  if (!(error instanceof CatalogError)) return false
  return error.kind === 'transient' || error.kind === 'uncertain' || error.code === 'catalog.lock-lost'
}

function warnOfRetry({ id, state, task, output }: TaskState, retried: Set<string>, emit: EmitEvent): void {
  if (state !== 'retry' || output?.error === undefined || retried.has(id) || leftBy(output) !== null) return
  retried.add(id)
  emit({ kind: 'warning', message: `${taskText(task)}: ${output.error.message} The task is retried.` })
}

/** Warns once when no worker takes a task for some time, and once when workers only leave tasks for that long. */
function createIdleWarnings(queue: Pick<Queue, 'isTended'>, emit: EmitEvent) {
  let [busyMs, endedTasks] = [performance.now(), 0]
  const warned = new Set<string>()
  const warn = (message: string, details: ErrorFacts): void => {
    if (!warned.has(message)) emit({ kind: 'warning', message, details, once: true })
    warned.add(message)
  }
  return async (tasks: readonly TaskState[]): Promise<void> => {
    const over = tasks.filter(({ state }) => ended.includes(state)).length
    if (over > endedTasks || tasks.some(({ state }) => state === 'active')) busyMs = performance.now()
    endedTasks = over
    if (performance.now() - busyMs <= lonelyMs) return
    const left = tasks.flatMap(({ state, output }) => (state === 'retry' ? (leftBy(output) ?? []) : []))[0]
    if (left !== undefined) warn(unfit, { reason: left.message, ...left.details, hint: left.hint })
    else if (!warned.has(lonely) && (await isAlone(tasks, queue))) warn(lonely, {})
  }
}

function leftBy(output: TaskOutput | null): ConfigError | null {
  const error = output?.error === undefined ? null : revivedError(output.error)
  return error instanceof ConfigError && error.kind === 'unfit' ? error : null
}

/** Whether no worker has started any of the tasks, or works on tasks that were queued earlier. */
async function isAlone(tasks: readonly TaskState[], queue: Pick<Queue, 'isTended'>): Promise<boolean> {
  if (tasks.length === 0 || tasks.some(({ state }) => state !== 'created')) return false
  return !(await queue.isTended().catch(() => true))
}

/** The current states of all tasks. Tasks that have ended are not queried again. */
async function statesOf(before: States, queue: Pick<Queue, 'states'>): Promise<States> {
  return new Map(
    await Promise.all(
      [...before].map(async ([queued, known]) => {
        const over = known.filter(({ state }) => ended.includes(state))
        const ids = new Set(over.map(({ id }) => id))
        const open = queued.ids.filter((id) => !ids.has(id))
        return [queued, open.length === 0 ? over : [...over, ...(await queue.states(queued.job.name, open))]] as const
      }),
    ),
  )
}

/** Whether a task waits for a time that its source has requested. */
function isPostponed({ state, output, startAfter }: TaskState): boolean {
  return state === 'retry' && output?.postponed !== undefined && startAfter.getTime() > Date.now()
}

function emitProgress({ job, tasks }: QueuedJob, states: readonly TaskState[], emit: EmitEvent): void {
  if (tasks === 0) return
  const tables = resultsOf(states).flatMap((result) => result.tables)
  // The queue deletes tasks that ended long ago.
  const open = states.filter(({ state }) => !ended.includes(state)).length
  const sums = { rows: sumOf(tables, 'rows'), bytes: sumOf(tables, 'bytes') }
  emit({ kind: 'progress', pipeline: job.name, done: tasks - open, total: tasks, ...sums })
}

function resultsOf(states: readonly TaskState[]): JobResult[] {
  return states.flatMap(({ state, output }) => (state === 'completed' ? (output?.result ?? []) : []))
}

function ending(states: States, { beganMs, interrupted }: { readonly beganMs: number; readonly interrupted: boolean }) {
  const failures: { job: string; error: Error }[] = []
  const results: JobResult[] = []
  for (const [queued, own] of states) {
    const postponed: Postponement[] = own.filter(isPostponed).flatMap(({ output }) => output?.postponed ?? [])
    const sum = resultsOf(own).reduce<JobResult | undefined>(addResults, undefined)
    const { job, range } = queued
    const outline = { name: job.name, pipeline: job.pipeline.name, streams: 0, tables: [], range }
    results.push({
      ...(sum ?? jobResult(outline, {})),
      ...(range === null ? {} : { head: range.head }),
      seconds: (performance.now() - beganMs) / 1000,
      upToDate: !interrupted && (sum?.upToDate ?? true),
      postponed: earliest(postponed),
      interrupted,
    })
    for (const task of own)
      if (task.state === 'failed' || task.state === 'cancelled')
        failures.push({ job: job.name, error: failureOf(task) })
  }
  return { results, failures }
}

function failureOf({ task, state, output }: TaskState): Error {
  if (output?.error !== undefined) return revivedError(output.error)
  // Such as a task that needs more memory than a worker has: it would end one worker after the other.
  if (output?.value !== undefined)
    return new StorageError(`${taskText(task)}: workers ended or fell silent while they did this task.`, {
      code: 'work.deaths',
      details: { job: task.job, reason: output.value.message },
      hint: 'The other tasks continue. Look why the workers ended (memory limit, kernel log, the code of a module), then run the job again: it resumes from the last commit.',
    })
  const reason = state === 'cancelled' ? 'it was cancelled' : 'no reason was recorded'
  return new ChainlakeError(`A task failed: ${reason}.`, 1, 'work.failed', {
    details: { task: taskText(task) },
    hint: 'Run again: committed slices are skipped.',
  })
}
