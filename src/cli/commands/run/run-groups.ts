import { PostponedError, StreamTakenError } from '../../../errors.ts'
import type { Job } from '../../../run/job/job.ts'
import { postponementOf } from '../../../run/job/postponement.ts'
import { waitUnlessStopped } from '../../../run/job/wait.ts'
import type { RunOptions, RunSummary } from '../../../run/jobs/run-options.ts'
import type { WorkSession } from '../../../run/work/work-session.ts'
import type { ParquetThread } from '../../../write/parquet-thread.ts'
import {
  isSkipped,
  type JobRequest,
  queriesLake,
  resolveJob,
  type SkippedJob,
  skippedResult,
} from '../../jobs/resolve-job.ts'
import { errorFacts, errorText, exitCodeOf } from '../../terminal/error-text.ts'
import type { Logger } from '../../terminal/logger.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import type { Progress } from '../../terminal/progress.ts'
import type { Deadline } from './deadline.ts'
import { closingText, jobTexts, nothingFetched, type Postponed, postponedText } from './run-summary.ts'

/** Jobs that are run together: once, or until a signal. */
export type JobGroup = { readonly jobs: readonly JobRequest[]; readonly follow: boolean }

type Output = { readonly json: boolean; readonly logger: Logger; readonly progress: Progress | undefined }

/** What a command does about other runs and about time. */
type Limits = {
  /** Wait for streams that other runs have. */
  readonly wait: boolean
  readonly deadline: Deadline
  /** Workers do the jobs; null: this process does. */
  readonly workers: Workers | null
}

export type Workers = {
  /** Within how many seconds they must say that they live. */
  readonly leaseSeconds: number
  /** Opens what all runs of the command share. */
  readonly open: () => Promise<WorkSession>
}

/** What became of jobs that were run together; `summary` is null when all of them were skipped. */
type GroupResult = { readonly summary: RunSummary | null; readonly skipped: readonly SkippedJob[] }

/** Says of which shape a report is: fields may come, but what is there keeps its name and meaning. */
const runSchema = 'chainlake.run.v1'

/** What --json prints of a run that did not open the lake. */
const unopened = {
  schema: runSchema,
  runId: null,
  network: null,
  jobs: [],
  busy: [],
  unfinished: [],
  stopped: false,
  resumeAt: null,
  reason: null,
}

/**
 * Runs groups of jobs one after another and prints what each did; resolves to 0, the exit code of the first failure, 8 when nothing
 * failed and other runs had streams of a job, or 7 when something is to be continued. A failure is thrown when there is one
 * group only, else the groups after it are run all the same, without the jobs that failed.
 */
export async function runGroups(
  groups: readonly JobGroup[],
  options: Omit<RunOptions, 'jobs'>,
  { json, logger, progress, wait, deadline, workers }: Output & Limits,
): Promise<number> {
  const results: GroupResult[] = []
  const reports: Report[] = []
  const continued: Postponed[] = []
  const failed = new Set<string>()
  const busy = new Set<string>()
  const begun = new Set<JobGroup>()
  let failure = 0
  const queueing = workers === null ? null : { ...workers, session: await workers.open() }
  // Several runs share a thread: starting one for each takes longer than most of them. With one run a failure is thrown on.
  const thread = groups.length > 1 ? await sharedThread() : undefined
  const shared = thread === undefined ? options : { ...options, thread }
  // Jobs that were busy are groups of their own then.
  const waiting = [...groups]
  /** Groups that follow beside those that they were busy in: as soon as they are free. */
  const beside: { readonly group: JobGroup; readonly done: Promise<void> }[] = []
  let thrown: unknown = null

  const runOne = async (group: JobGroup, given: Omit<RunOptions, 'jobs'>): Promise<void> => {
    const { follow } = group
    begun.add(group)
    const jobs = group.jobs.filter(({ name }) => !failed.has(name))
    const names = jobs.map(({ name }) => name)
    if (jobs.length === 0) return
    const later = (left: ReadonlySet<string>): JobGroup => ({ follow, jobs: jobs.filter(({ name }) => left.has(name)) })
    const gone = new Set<string>()
    const leave = (left: ReadonlySet<string>): void => {
      for (const name of left) gone.add(name)
      const waits = later(left)
      beside.push({ group: waits, done: runOne(waits, options) })
    }
    try {
      const attempt = () =>
        runGroup({ follow, jobs }, wait && follow ? { ...given, leave } : given, { logger, queueing })
      const run = wait ? () => untilFree(attempt, options, names.join(', ')) : attempt
      const result = await (follow ? run() : persist(run, names.join(', '), options))
      progress?.end()
      const left = new Set(result.summary?.busy.map(({ name }) => name))
      if (!wait) for (const name of left) busy.add(name)
      else if (!follow && left.size > 0) waiting.push(later(left))
      results.push(result)
      continued.push(...postponedOf(result))
      reports.push(reportOf(result))
      const texts = groupTexts(result)
      if (!json && texts.length > 0) await printLine(texts.join('\n'))
    } catch (error) {
      progress?.end()
      if (options.stop.aborted && error === options.stop.reason) {
        begun.delete(group)
        return
      }
      if (error instanceof PostponedError) {
        const postponement = postponementOf(error)
        continued.push({ names, postponement })
        reports.push({ ...unopened, resumeAt: postponement.resumeAt, reason: postponement.reason, postponed: names })
        return
      }
      if (error instanceof StreamTakenError && groups.length > 1) {
        logger.warn(`${names.join(', ')}: left out: ${error.message}`)
        reports.push({
          ...unopened,
          busy: names.map((name) => ({ name, reason: error.message, streams: error.streams })),
        })
        for (const name of names) busy.add(name)
        return
      }
      if (groups.length === 1 && beside.length === 0) {
        thrown ??= error
        return
      }
      const own = names.filter((name) => !gone.has(name))
      logger.error(`${own.join(', ')} failed${group.follow ? '' : '; the other jobs go on'}`)
      process.stderr.write(`${errorText(error)}\n`)
      reports.push({ ...unopened, failed: own, error: errorFacts(error) })
      for (const name of own) failed.add(name)
      failure ||= exitCodeOf(error)
    }
  }

  while (waiting.length > 0 && !options.stop.aborted)
    await Promise.all(shiftSome(waiting, workers).map((group) => runOne(group, shared)))
  // More may come while these are waited for.
  for (const { done } of beside) await done
  await thread?.close()
  await queueing?.session.close()
  if (thrown !== null) throw thrown
  const summaries = results.flatMap(({ summary }) => summary ?? [])
  const unfinished = new Set([
    ...summaries.flatMap((summary) => summary.unfinished),
    ...[...groups, ...waiting, ...beside.map(({ group }) => group)]
      .filter((group) => !begun.has(group))
      .flatMap(({ jobs }) => jobs.map(({ name }) => name)),
  ])
  const isLate = deadline.signal.aborted && unfinished.size > 0
  if (json) await printJson(groups.length === 1 ? oneOf(reports) : reports)
  else {
    const nothing = options.stop.aborted && summaries.every(({ jobs }) => jobs.length === 0)
    const ending = deadline.signal.aborted ? 'deadline' : options.stop.aborted ? 'signal' : null
    const closing = nothing ? nothingFetched : closingText(summaries, options.lakeDir, ending)
    if (closing !== null) await printLine(closing)
    const later = options.stop.aborted ? null : postponedText(continued)
    if (later !== null) await printLine(later)
  }
  const all = new Set(groups.flatMap(({ jobs }) => jobs.map(({ name }) => name)))
  if (failed.size > 0)
    process.stderr.write(`error: ${failed.size} of ${all.size} jobs failed: ${[...failed].join(', ')}\n`)
  if (busy.size > 0)
    process.stderr.write(`busy: other runs have streams of ${[...busy].join(', ')}; run again, or with --wait\n`)
  if (isLate) process.stderr.write(`deadline: there is more to do for ${[...unfinished].join(', ')}\n`)
  if (failure !== 0) return failure
  if (busy.size > 0) return streamsBusy
  return continued.length > 0 || isLate ? toBeContinued : 0
}

type Queueing = Pick<Workers, 'leaseSeconds'> & { readonly session: WorkSession }

/**
 * Takes out the groups that are run next: one, and with workers, who have room for more, those behind it that ask the lake for nothing
 * which groups before them are to write.
 */
function shiftSome(waiting: JobGroup[], workers: Workers | null): JobGroup[] {
  const some = waiting.splice(0, 1)
  while (workers !== null && waiting[0]?.jobs.some(queriesLake) === false) some.push(...waiting.splice(0, 1))
  return some
}

/** Exit code where other runs had streams of some jobs, and nothing failed. */
const streamsBusy = 8
/** How often busy streams are asked for. */
const busyPauseMs = 1_000

/** Tries again while other runs have streams of the jobs. */
async function untilFree<T>(
  run: () => Promise<T>,
  { stop, emit }: Omit<RunOptions, 'jobs'>,
  names: string,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof StreamTakenError)) throw error
      if (tries === 0) emit({ kind: 'notice', message: `${names}: waits. ${error.message}`, details: error.details })
    }
    await waitUnlessStopped(busyPauseMs, stop)
    stop.throwIfAborted()
  }
}

/** The report of a group; jobs that had to wait for other runs have been run after the others of it. */
function oneOf(reports: readonly Report[]): object {
  const last = reports.at(-1)
  const jobs = reports.flatMap((report) => report.jobs)
  const busy = (last?.busy ?? []).filter(({ name }) => !jobs.some((job) => job.name === name))
  return { ...unopened, stopped: true, ...last, jobs, busy }
}

/** Exit code of a command that did not fail and is to be run again later. */
const toBeContinued = 7

function postponedOf({ summary }: GroupResult): Postponed[] {
  return (summary?.jobs ?? []).flatMap(({ postponed, ...job }) => {
    if (postponed === null) return []
    return [{ names: [job.name], postponement: postponed }]
  })
}

/**
 * Rounds before the one that follows fill the lists of the jobs after them: while following, one that fails in a way that may pass is
 * tried again until it passes.
 */
async function persist<T>(
  run: () => Promise<T>,
  name: string,
  { follow, emit, stop }: Omit<RunOptions, 'jobs'>,
): Promise<T> {
  if (follow === undefined) return run()
  const { createOutages, untilItPasses } = await import('../../../run/jobs/outage.ts')
  return untilItPasses(createOutages({ emit, pauseMs: follow.maxLagMs }).of(name), run, stop)
}

async function sharedThread(): Promise<ParquetThread> {
  return (await import('../../../write/parquet-thread.ts')).createParquetThread()
}

async function runGroup(
  group: JobGroup,
  { follow, ...options }: Omit<RunOptions, 'jobs'>,
  { logger, queueing }: { readonly logger: Logger; readonly queueing: Queueing | null },
): Promise<GroupResult> {
  const resolved = await Promise.all(group.jobs.map((job) => resolveJob(job, options.lakeDir, options.stop)))
  const skipped = resolved.filter(isSkipped)
  for (const job of skipped)
    logger.warn(`${job.name}: the query of ${job.list} gives no row: nothing to ask`, { query: job.query })
  const jobs = resolved.filter((job): job is Job => !isSkipped(job))
  if (jobs.length === 0) return { summary: null, skipped }
  if (queueing !== null) {
    const { runWithWorkers } = await import('../../../run/work/run-with-workers.ts')
    return { summary: await runWithWorkers({ ...options, ...queueing, jobs }), skipped }
  }
  // Loaded only now, so that a mistake in the flags is told at once.
  const { runPipelines } = await import('../../../run/jobs/run-pipelines.ts')
  return {
    summary: await runPipelines({ ...options, ...(group.follow && follow !== undefined ? { follow } : {}), jobs }),
    skipped,
  }
}

function groupTexts({ summary, skipped }: GroupResult): string[] {
  return [
    ...skipped.map(({ name }) => `${name}: skipped: nothing to ask.`),
    ...(summary === null ? [] : jobTexts(summary)),
  ]
}

type Named = { readonly name: string }
type Report = { readonly jobs: readonly Named[]; readonly busy: readonly Named[]; readonly [fact: string]: unknown }

function reportOf({ summary, skipped }: GroupResult): Report {
  const report = summary ?? unopened
  return { schema: runSchema, ...report, jobs: [...skipped.map(skippedResult), ...report.jobs] }
}
