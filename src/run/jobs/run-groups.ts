import { PostponedError, StreamTakenError } from '../../errors.ts'
import { isStop, waitUnlessStopped } from '../error-parts.ts'
import { type Postponement, postponementOf, type RunEvent } from '../events.ts'
import { type Job, roundInterval } from '../job.ts'
import type { RunOptions, RunSummary } from './start-jobs.ts'

/** A job before its turn. Its lists are read when it starts. */
type WaitingJob = {
  readonly name: string
  /** Whether it has a mistake, which `resolve` throws. */
  readonly isWrong: boolean
  /** Whether a list of it comes from a query on the lake, so that it depends on what earlier jobs write. */
  readonly queriesLake: boolean
  /** Reads its lists. Throws `ConfigError`, and the reason of `stop` when it interrupts a query. */
  readonly resolve: (stop: AbortSignal) => Promise<Job | SkippedJob>
}

/** A job with nothing to do: the query of one of its lists returns no row now. An empty list never means "no filter". */
export type SkippedJob = {
  readonly name: string
  readonly pipeline: string
  readonly list: string
  readonly query: string
}

export function isSkipped(job: Job | SkippedJob): job is SkippedJob {
  return 'query' in job
}

/** Jobs that run together: once, or until a signal. */
type JobGroup = { readonly jobs: readonly WaitingJob[]; readonly follow: boolean }

/** What became of the jobs of a group. `summary` is null when all of them were skipped. */
export type GroupEnd = { readonly names: readonly string[] } & (
  | { readonly is: 'done'; readonly summary: RunSummary | null; readonly skipped: readonly SkippedJob[] }
  | { readonly is: 'postponed'; readonly postponement: Postponement }
  | { readonly is: 'busy'; readonly reason: string; readonly streams: readonly string[] }
  | { readonly is: 'failed'; readonly error: unknown; readonly follow: boolean }
)

type GroupsOptions = {
  readonly run: Omit<RunOptions, 'jobs'>
  /** Does jobs: in this process, or with workers. */
  readonly runJobs: (options: RunOptions) => Promise<RunSummary>
  /** Whether several groups may run at the same time. */
  readonly hasRoom: boolean
  /** Wait for streams that other runs have. */
  readonly wait: boolean
  readonly deadline: AbortSignal | null
  readonly begin: (names: readonly string[]) => void
  readonly end: (end: GroupEnd) => Promise<void>
}

/**
 * Splits jobs into groups that run together. With `apart` each job is a group, so that a failure does not end the other jobs. Jobs also run
 * one by one when a later job reads its list from the lake, since earlier jobs fill it. Followed jobs form one group; when lists come from
 * the lake, each of them runs once on its own before. Jobs with a mistake come first, each as its own group.
 */
export function groupJobs(
  all: readonly WaitingJob[],
  { follow, apart }: { readonly follow: boolean; readonly apart: boolean },
): JobGroup[] {
  const jobs = all.filter(({ isWrong }) => !isWrong)
  const alone = (job: WaitingJob) => ({ jobs: [job], follow: false })
  const oneByOne = jobs.slice(1).some(({ queriesLake }) => queriesLake) || (apart && !follow)
  return [
    ...all.filter(({ isWrong }) => isWrong).map(alone),
    ...(oneByOne ? jobs.map(alone) : []),
    ...(jobs.length > 0 && (follow || !oneByOne) ? [{ jobs, follow }] : []),
  ]
}

/**
 * Runs groups of jobs one after another. With one group its failure is thrown; with several groups the later ones still run, without the
 * jobs that failed.
 */
export async function runGroups(groups: readonly JobGroup[], options: GroupsOptions) {
  const { wait, hasRoom, deadline } = options
  const source = watchSource()
  const isOnly = groups.length === 1
  // Several runs share a thread: starting one for each takes longer than most of them.
  const thread = isOnly ? undefined : (await import('../../write/parquet-thread.ts')).createParquetThread()
  const run: typeof options.run = {
    ...options.run,
    emit: (event) => {
      source.onEvent(event)
      options.run.emit(event)
    },
  }
  /** Groups to run next. Busy jobs come back as groups of their own. */
  const waiting = [...groups]
  /** Busy jobs of followed groups, as groups of their own: they run next to the others as soon as they are free. */
  const overlapping: { readonly group: JobGroup; readonly done: Promise<void> }[] = []
  const begun = new Set<JobGroup>()
  const ends: GroupEnd[] = []
  let thrown: unknown = null
  const end = async (ended: GroupEnd): Promise<void> => {
    ends.push(ended)
    await options.end(ended)
  }
  /** Runs the jobs of a group that have not failed before. */
  const runRest = async (group: JobGroup, own: typeof run): Promise<void> => {
    begun.add(group)
    const failed = namesIn(ends, 'failed')
    const rest = { ...group, jobs: group.jobs.filter(({ name }) => !failed.includes(name)) }
    const names = namesOf([rest])
    if (names.length === 0) return
    let left: ReadonlySet<string> = new Set()
    const leave = (busy: ReadonlySet<string>): void => {
      left = new Set([...left, ...busy])
      const split = only(rest, busy)
      overlapping.push({ group: split, done: runRest(split, run) })
    }
    options.begin(names)
    try {
      const result = await runGroup(rest, wait && group.follow ? { ...own, leave } : own, options)
      const busy = new Set(result.summary?.busy.map(({ name }) => name))
      // As a group of their own.
      if (wait && !group.follow && busy.size > 0) waiting.push(only(rest, busy))
      await end({ is: 'done', names, ...result })
    } catch (error) {
      if (isStop(error, run.stop)) begun.delete(group)
      else await fail(error, { names: names.filter((name) => !left.has(name)), follow: group.follow })
    }
  }
  const fail = async (error: unknown, group: { readonly names: readonly string[]; readonly follow: boolean }) => {
    if (isOnly && overlapping.length === 0 && !(error instanceof PostponedError)) thrown ??= error
    else await end(endOf(error, group))
  }
  const shared = thread === undefined ? run : { ...run, thread }
  while (waiting.length > 0 && !run.stop.aborted)
    await Promise.all(shiftSome(waiting, hasRoom).map((group) => runRest(group, shared)))
  // More may come while these are waited for.
  for (const { done } of overlapping) await done
  await thread?.close()
  if (thrown !== null) throw thrown
  const all = [...groups, ...waiting, ...overlapping.map(({ group }) => group)]
  const unbegun = namesOf(all.filter((group) => !begun.has(group)))
  const summaries = ends.flatMap((ended) => (ended.is === 'done' ? (ended.summary ?? []) : []))
  const skipped = summaries.flatMap(({ busy }) => busy.map(({ name }) => name))
  const unfinished = [...summaries.flatMap((summary) => summary.unfinished), ...unbegun]
  const left = deadline?.aborted === true ? [...new Set(unfinished)] : []
  return {
    ends,
    count: new Set(namesOf(all)).size,
    /** Names of jobs with streams that other runs have. */
    busy: wait ? [] : [...new Set([...namesIn(ends, 'busy'), ...skipped])],
    /** Names of jobs that the deadline ended, or prevented from starting. */
    left,
    /** The failure of a source that lasted until the deadline, so that its job did nothing. */
    outage: left.length === 0 ? null : source.lasting(),
  }
}

function namesIn(ends: readonly GroupEnd[], what: GroupEnd['is']): string[] {
  return ends.flatMap(({ is, names }) => (is === what ? names : []))
}

function endOf(error: unknown, group: { readonly names: readonly string[]; readonly follow: boolean }): GroupEnd {
  const { names } = group
  if (error instanceof PostponedError) return { is: 'postponed', names, postponement: postponementOf(error) }
  if (!(error instanceof StreamTakenError)) return { is: 'failed', error, ...group }
  return { is: 'busy', names, reason: error.message, streams: error.streams }
}

/**
 * Takes the groups that run next: one, and where there is room for more, the groups behind it until one that reads a list from the lake,
 * which earlier groups may fill.
 */
function shiftSome(waiting: JobGroup[], hasRoom: boolean): JobGroup[] {
  const some = waiting.splice(0, 1)
  while (hasRoom && waiting[0]?.jobs.some(({ queriesLake }) => queriesLake) === false)
    some.push(...waiting.splice(0, 1))
  return some
}

function only({ follow, jobs }: JobGroup, names: ReadonlySet<string>): JobGroup {
  return { follow, jobs: jobs.filter(({ name }) => names.has(name)) }
}

function namesOf(groups: readonly JobGroup[]): string[] {
  return groups.flatMap(({ jobs }) => jobs.map(({ name }) => name))
}

/** Pause between attempts while other runs have the streams. */
const busyPauseMs = 1_000

/**
 * Runs a group. With `wait`, tries again while other runs have all of its streams. With `follow`, jobs run once before the group that follows,
 * to fill the lists of later jobs. An outage that may pass must not end such a run: it is tried again until the outage passes.
 */
async function runGroup(group: JobGroup, run: GroupsOptions['run'], { wait, runJobs }: GroupsOptions) {
  const { follow, ...once } = run
  const { emit, stop } = run
  const name = namesOf([group]).join(', ')
  const attempt = () => runOnce(group, group.follow ? run : once, runJobs)
  const untilDone = wait ? () => untilFree(attempt, run, name) : attempt
  if (group.follow || follow === undefined) return untilDone()
  const { createOutages, untilItSucceeds } = await import('./rounds.ts')
  return untilItSucceeds(createOutages({ emit, pauseMs: roundInterval(follow) }).of(name), untilDone, stop)
}

/** Tries again while other runs have streams of the jobs. */
async function untilFree<T>(run: () => Promise<T>, { stop, emit }: GroupsOptions['run'], name: string): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof StreamTakenError)) throw error
      if (tries === 0) emit({ kind: 'notice', message: `${name}: waits. ${error.message}`, details: error.details })
    }
    await waitUnlessStopped(busyPauseMs, stop)
    stop.throwIfAborted()
  }
}

async function runOnce(group: JobGroup, run: GroupsOptions['run'], runJobs: GroupsOptions['runJobs']) {
  const resolved = await Promise.all(group.jobs.map((job) => job.resolve(run.stop)))
  const skipped = resolved.filter(isSkipped)
  for (const { name, list, query } of skipped)
    run.emit({
      kind: 'notice',
      message: `${name}: skipped: the query of ${list} returns no row`,
      details: { query },
    })
  const jobs = resolved.filter((job): job is Job => !isSkipped(job))
  return { summary: jobs.length === 0 ? null : await runJobs({ ...run, jobs }), skipped }
}

/** After its pause, a request may take this long to fail again. */
const requestMs = 60_000

/** Watches whether a source fails until the end, so that the job that reads it does nothing. */
export function watchSource(now: () => number = () => performance.now()) {
  let failed: { readonly url: string; readonly reason: string; readonly untilMs: number } | null = null
  return {
    onEvent(event: RunEvent): void {
      // A source that limits the rate is there.
      if (event.kind === 'retry' && event.limited === undefined)
        failed = { url: event.url, reason: event.reason, untilMs: now() + event.waitMs + requestMs }
      else if (event.kind === 'round' && event.is === 'ended') failed = null
      else if (event.kind === 'progress' || event.kind === 'stored') failed = null
    },
    /** The last failure of the source; null when the job did something, or when the source does not fail at present. */
    lasting: () => (failed === null || now() > failed.untilMs ? null : failed),
  }
}

/** Time reserved for stopping: 10 seconds, or a quarter of a shorter deadline. */
const mostStopMs = 10_000

/** Aborted early enough to commit and publish finished units before the deadline. It does not keep the process alive. */
export function deadlineSignal(milliseconds: number): AbortSignal {
  const controller = new AbortController()
  const leftMs = milliseconds - Math.min(mostStopMs, milliseconds / 4)
  setTimeout(() => controller.abort(new Error('The deadline (--deadline) is reached.')), leftMs).unref()
  return controller.signal
}
