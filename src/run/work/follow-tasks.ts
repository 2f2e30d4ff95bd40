import { ChainlakeError } from '../../errors.ts'
import { revivedError } from '../job/error-parts.ts'
import type { EmitEvent } from '../job/events.ts'
import type { Job } from '../job/job.ts'
import { earliest, type Postponement } from '../job/postponement.ts'
import { waitUnlessStopped } from '../job/wait.ts'
import { addResults, type JobResult } from '../rows/job-result.ts'
import type { JobTasks } from './plan-tasks.ts'
import type { Queue, TaskState } from './queue.ts'
import { taskText } from './task.ts'

/** A job whose tasks are in the queue. */
export type QueuedJob = {
  readonly job: Job
  readonly range: JobTasks['range']
  readonly ids: readonly string[]
  readonly tasks: number
}

export type Followed = {
  readonly results: readonly JobResult[]
  /** What tasks were given up with, and the names of their jobs. */
  readonly failures: readonly { readonly job: string; readonly error: Error }[]
}

const pollMs = 1_000
/** So long nobody takes a task before that is told. */
const lonelyMs = 10_000
const lonely = 'No worker has taken a task yet. Start some: chainlake worker, with the same --lake and configuration.'
const unreached = 'The queue cannot be reached; it is asked until it can.'
const ended = ['completed', 'cancelled', 'failed']

/**
 * Waits until the tasks of all jobs have ended, or none can go on for now, and tells of how far they are. At `stop` it ends with what it
 * knows: the workers go on.
 */
export async function followTasks(
  jobs: readonly QueuedJob[],
  queue: Pick<Queue, 'states' | 'isTended'>,
  { stop, emit }: { readonly stop: AbortSignal; readonly emit: EmitEvent },
): Promise<Followed> {
  const beganMs = performance.now()
  const told = new Set<string>()
  let isLonely = false
  let isDown = false
  let states: ReadonlyMap<QueuedJob, readonly TaskState[]> = new Map(jobs.map((queued) => [queued, []]))
  for (;;) {
    try {
      states = await statesOf(states, queue)
      if (isDown) emit({ kind: 'notice', message: 'The queue answers again.' })
      isDown = false
    } catch (error) {
      // The workers wait for it, too.
      if (!isDown) emit({ kind: 'warning', message: unreached, details: { reason: reasonOf(error) } })
      isDown = true
      if (stop.aborted) return ending(states, { beganMs, interrupted: true })
      await waitUnlessStopped(pollMs, stop)
      continue
    }
    const all = [...states.values()].flat()
    for (const [queued, own] of states) tellProgress(queued, own, emit)
    for (const { id, state, task, output } of all)
      if (state === 'retry' && output?.error !== undefined && !told.has(id)) {
        told.add(id)
        emit({ kind: 'warning', message: `${taskText(task)}: ${output.error.message} It is tried again.` })
      }
    const isOver = all.every((task) => ended.includes(task.state) || isPostponed(task))
    if (stop.aborted && !isOver) {
      const left = all.filter(({ state }) => !ended.includes(state)).length
      emit({
        kind: 'notice',
        message: 'Nobody follows the tasks any more; workers do what is left.',
        details: { left },
      })
    }
    if (isOver || stop.aborted) return ending(states, { beganMs, interrupted: stop.aborted && !isOver })
    if (!isLonely && performance.now() - beganMs > lonelyMs && (await isAlone(all, queue))) {
      isLonely = true
      emit({ kind: 'warning', message: lonely, once: true })
    }
    await waitUnlessStopped(pollMs, stop)
  }
}

/** Whether no worker has begun any of the tasks, nor does others that were queued before. */
async function isAlone(tasks: readonly TaskState[], queue: Pick<Queue, 'isTended'>): Promise<boolean> {
  if (tasks.length === 0 || tasks.some(({ state }) => state !== 'created')) return false
  return !(await queue.isTended().catch(() => true))
}

/** The states of all tasks now. What has ended stays as it was: it is not asked for again. */
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

/** Whether a task waits for a time that its source named. */
function isPostponed({ state, output, startAfter }: TaskState): boolean {
  return state === 'retry' && output?.postponed !== undefined && startAfter.getTime() > Date.now()
}

function tellProgress({ job, tasks }: QueuedJob, states: readonly TaskState[], emit: EmitEvent): void {
  if (tasks === 0) return
  const results = resultsOf(states)
  const sum = (name: 'rows' | 'bytes') =>
    results.reduce((total, { tables }) => total + tables.reduce((all, table) => all + table[name], 0), 0)
  // Tasks that have ended long ago are removed from the queue.
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
  const common = {
    name: job.name,
    pipeline: job.pipeline.name,
    streams: 0,
    pages: 0,
    tables: [],
    seconds: 0,
    upToDate: true,
    postponed: null,
    interrupted: false,
  }
  return range === null
    ? { kind: 'service', ...common }
    : { kind: 'containers', ...common, ...range, containers: 0, units: 0 }
}

function failureOf({ task, state, output }: TaskState): Error {
  if (output?.error !== undefined) return revivedError(output.error)
  const reason = state === 'cancelled' ? 'it was cancelled' : (output?.value?.message ?? 'nobody says why')
  return new ChainlakeError(`A task was given up: ${reason}.`, 1, 'work.failed', {
    details: { task: taskText(task) },
    hint: 'Run again: what is committed is left out.',
  })
}
