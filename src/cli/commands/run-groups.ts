import { PostponedError, StreamTakenError } from '../../errors.ts'
import { bytesText, countText, durationText } from '../../lib/text.ts'
import { waitUnlessStopped } from '../../run/error-parts.ts'
import type { JobResult, Unanswered } from '../../run/events.ts'
import { type Postponement, postponementOf, type RunEvent } from '../../run/events.ts'
import { type Job, roundInterval } from '../../run/job.ts'
import type { RunOptions, RunSummary } from '../../run/jobs/start-jobs.ts'
import type { WorkSession } from '../../run/work/queue.ts'
import type { ParquetThread } from '../../write/parquet-thread.ts'
import { isSkipped, type JobRequest, queriesLake, resolveJob, type SkippedJob, skippedResult } from '../jobs/jobs.ts'
import type { ProgressDisplay } from '../terminal/progress.ts'
import type { Logger } from '../terminal/run-events.ts'
import { textTable } from '../terminal/tables.ts'
import { errorFacts, errorText, exitCodeOf, printJson, printLine } from '../terminal/terminal.ts'

type Output = { readonly json: boolean; readonly logger: Logger; readonly progress: ProgressDisplay | undefined }

/** What a command does about other runs and about time. */
type Limits = {
  /** Wait for streams that other runs have. */
  readonly wait: boolean
  readonly deadline: Deadline
  readonly source: Pick<SourceOutage, 'lasting'>
  /** Workers do the jobs; null: this process does. */
  readonly workers: Workers | null
}

type Workers = {
  /** Workers must renew their lease within this many seconds. */
  readonly leaseSeconds: number
  /** Opens the connection to the queue that all runs of the command share. */
  readonly open: () => Promise<WorkSession>
}

/** The groups of a command while they run. */
type Schedule = {
  readonly options: GroupOptions
  readonly output: Output
  readonly context: GroupContext
  /** Whether the command has a single group. */
  readonly isOnly: boolean
  /** Groups to run next. Busy jobs come back as groups of their own. */
  readonly waiting: JobGroup[]
  /** Busy jobs of followed groups, as groups of their own: they run next to the others as soon as they are free. */
  readonly overlapping: { readonly group: JobGroup; readonly done: Promise<void> }[]
  readonly outcome: Outcome
  /** The failure of a single group. */
  thrown: unknown
}

/**
 * Runs groups of jobs one after another and prints their results. Resolves to 0, the exit code of the first failure, 8 when nothing failed
 * and other runs had streams of a job, 3 when a source failed until the deadline, or 7 when work is left for a later run. With one group its
 * failure is thrown; with several groups the later ones still run, without the jobs that failed.
 */
export async function runGroups(
  groups: readonly JobGroup[],
  options: GroupOptions,
  { json, logger, progress, wait, deadline, source, workers }: Output & Limits,
): Promise<number> {
  const isOnly = groups.length === 1
  const session = await workers?.open()
  const queueing = workers === null || session === undefined ? null : { leaseSeconds: workers.leaseSeconds, session }
  // Several runs share a thread: starting one for each takes longer than most of them.
  const thread = isOnly ? undefined : await sharedThread()
  const schedule: Schedule = {
    options,
    output: { json, logger, progress },
    context: { logger, queueing, wait },
    isOnly,
    waiting: [...groups],
    overlapping: [],
    outcome: createOutcome(),
    thrown: null,
  }
  const { waiting, overlapping, outcome } = schedule
  const shared = thread === undefined ? options : { ...options, thread }
  while (waiting.length > 0 && !options.stop.aborted)
    await Promise.all(shiftSome(waiting, workers).map((group) => runScheduled(schedule, group, shared)))
  // More may come while these are waited for.
  for (const { done } of overlapping) await done
  await thread?.close()
  await session?.close()
  progress?.end()
  if (schedule.thrown !== null) throw schedule.thrown
  const all = [...groups, ...waiting, ...overlapping.map(({ group }) => group)]
  return concludeOutcome(outcome, { groups: all, isOnly, options, json, deadline, source })
}

/**
 * Takes the groups that run next: one, and with workers, who have room for more, the groups behind it until one that reads a list from the
 * lake, which earlier groups may fill.
 */
function shiftSome(waiting: JobGroup[], workers: Workers | null): JobGroup[] {
  const some = waiting.splice(0, 1)
  while (workers !== null && waiting[0]?.jobs.some(queriesLake) === false) some.push(...waiting.splice(0, 1))
  return some
}

async function sharedThread(): Promise<ParquetThread> {
  return (await import('../../write/parquet-thread.ts')).createParquetThread()
}

/** Runs the jobs of a group that have not failed before, and records what they did. */
async function runScheduled(schedule: Schedule, group: JobGroup, given: GroupOptions): Promise<void> {
  const { options, output, context, overlapping, outcome } = schedule
  outcome.begun.add(group)
  const rest = { ...group, jobs: group.jobs.filter(({ name }) => !outcome.failed.has(name)) }
  if (rest.jobs.length === 0) return
  const left = new Set<string>()
  const leave = (names: ReadonlySet<string>): void => {
    for (const name of names) left.add(name)
    const busy = only(rest, names)
    overlapping.push({ group: busy, done: runScheduled(schedule, busy, options) })
  }
  const names = rest.jobs.map(({ name }) => name)
  output.progress?.begin(names)
  try {
    const result = await runGroup(rest, context.wait && group.follow ? { ...given, leave } : given, context)
    output.progress?.forget(names)
    await recordResult(schedule, rest, result)
  } catch (error) {
    output.progress?.forget(names)
    recordError(schedule, group, rest, left, error)
  }
}

async function recordResult(schedule: Schedule, group: JobGroup, result: GroupResult): Promise<void> {
  const { context, outcome, output, waiting } = schedule
  const busy = new Set(result.summary?.busy.map(({ name }) => name))
  if (!context.wait) for (const name of busy) outcome.busy.add(name)
  else if (!group.follow && busy.size > 0) waiting.push(only(group, busy))
  addResult(outcome, result)
  const texts = groupTexts(result)
  if (!output.json && texts.length > 0) await printLine(texts.join('\n'))
}

/** Records an error; `left` are jobs of the group that run in another group since. */
function recordError(
  schedule: Schedule,
  group: JobGroup,
  { jobs, follow }: JobGroup,
  left: ReadonlySet<string>,
  error: unknown,
): void {
  const { options, output, outcome, isOnly, overlapping } = schedule
  const names = jobs.map(({ name }) => name)
  if (options.stop.aborted && error === options.stop.reason) {
    outcome.begun.delete(group)
  } else if (error instanceof PostponedError) {
    addPostponed(outcome, names, error)
  } else if (error instanceof StreamTakenError && !isOnly) {
    output.logger.warn(`${names.join(', ')}: left out: ${error.message}`)
    addBusy(outcome, names, error)
  } else if (isOnly && overlapping.length === 0) {
    schedule.thrown ??= error
  } else {
    const own = names.filter((name) => !left.has(name))
    output.logger.error(`${own.join(', ')} failed${follow ? '' : '; the other jobs continue'}`)
    process.stderr.write(`${errorText(error)}\n`)
    addFailure(outcome, own, error)
  }
}

function only({ follow, jobs }: JobGroup, names: ReadonlySet<string>): JobGroup {
  return { follow, jobs: jobs.filter(({ name }) => names.has(name)) }
}

function groupTexts({ summary, skipped }: GroupResult): string[] {
  return [
    ...skipped.map(({ name, list }) => `${name}: skipped: the query of ${list} returns no row.`),
    ...(summary === null ? [] : jobTexts(summary)),
  ]
}

/** Jobs that run together: once, or until a signal. */
export type JobGroup = { readonly jobs: readonly JobRequest[]; readonly follow: boolean }

export type GroupOptions = Omit<RunOptions, 'jobs'>

/** How the jobs of a group are run. */
type GroupContext = {
  readonly logger: Logger
  /** Workers do the jobs; null: this process does. */
  readonly queueing: { readonly leaseSeconds: number; readonly session: WorkSession } | null
  /** Wait for streams that other runs have. */
  readonly wait: boolean
}

/** The result of jobs that ran together; `summary` is null when all of them were skipped. */
type GroupResult = { readonly summary: RunSummary | null; readonly skipped: readonly SkippedJob[] }

/** Runs a group. With `wait`, tries again while other runs have all of its streams. */
async function runGroup(group: JobGroup, options: GroupOptions, context: GroupContext): Promise<GroupResult> {
  const names = group.jobs.map(({ name }) => name).join(', ')
  const attempt = () => runOnce(group, options, context)
  const run = context.wait ? () => untilFree(attempt, options, names) : attempt
  return group.follow ? run() : untilOutagesPass(run, names, options)
}

/** Pause between attempts while the streams are busy. */
const busyPauseMs = 1_000

/** Tries again while other runs have streams of the jobs. */
async function untilFree<T>(run: () => Promise<T>, { stop, emit }: GroupOptions, names: string): Promise<T> {
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

/**
 * With --follow, jobs run once before the group that follows, to fill the lists of later jobs. An outage that may pass must not end such a
 * run: it is tried again until the outage passes.
 */
async function untilOutagesPass<T>(
  run: () => Promise<T>,
  name: string,
  { follow, emit, stop }: GroupOptions,
): Promise<T> {
  if (follow === undefined) return run()
  const { createOutages, untilItSucceeds } = await import('../../run/jobs/rounds.ts')
  return untilItSucceeds(createOutages({ emit, pauseMs: roundInterval(follow) }).of(name), run, stop)
}

async function runOnce(
  group: JobGroup,
  { follow, ...options }: GroupOptions,
  { logger, queueing }: GroupContext,
): Promise<GroupResult> {
  const resolved = await Promise.all(group.jobs.map((job) => resolveJob(job, options.lake, options.stop)))
  const skipped = resolved.filter(isSkipped)
  for (const job of skipped)
    logger.warn(`${job.name}: skipped: the query of ${job.list} returns no row`, { query: job.query })
  const jobs = resolved.filter((job): job is Job => !isSkipped(job))
  if (jobs.length === 0) return { summary: null, skipped }
  if (queueing !== null) {
    const { runWithWorkers } = await import('../../run/work/run-with-workers.ts')
    return { summary: await runWithWorkers({ ...options, ...queueing, jobs }), skipped }
  }
  // Imported only now, so that a mistake in the flags is reported at once.
  const { runPipelines } = await import('../../run/jobs/run-pipelines.ts')
  return {
    summary: await runPipelines({ ...options, ...(group.follow && follow !== undefined ? { follow } : {}), jobs }),
    skipped,
  }
}

/** What the groups of a command have done so far. */
type Outcome = {
  readonly results: GroupResult[]
  /** One report per group, for `--json`. */
  readonly reports: Report[]
  readonly postponed: Postponed[]
  /** Names of jobs that failed. */
  readonly failed: Set<string>
  /** Names of jobs that were left out because other runs have their streams. */
  readonly busy: Set<string>
  readonly begun: Set<JobGroup>
  /** The exit code of the first failure; 0 for none. */
  failureCode: number
}

type Named = { readonly name: string }
type Report = { readonly jobs: readonly Named[]; readonly busy: readonly Named[]; readonly [fact: string]: unknown }

/** The name of the report format: fields may be added, but existing ones keep their name and meaning. */
const runSchema = 'chainlake.run.v1'

/** The report of a run that did not open the lake. */
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

/** Exit code when a source failed until the deadline, so that its job did nothing. */
const sourceFailed = 3
/** Exit code when nothing failed, and work is left for a later run. */
const runAgainLater = 7
/** Exit code when nothing failed, and other runs had streams of some jobs. */
const streamsBusy = 8

function createOutcome(): Outcome {
  return {
    results: [],
    reports: [],
    postponed: [],
    failed: new Set(),
    busy: new Set(),
    begun: new Set(),
    failureCode: 0,
  }
}

function addResult(outcome: Outcome, result: GroupResult): void {
  const { summary, skipped } = result
  const report = summary ?? unopened
  outcome.results.push(result)
  outcome.reports.push({ schema: runSchema, ...report, jobs: [...skipped.map(skippedResult), ...report.jobs] })
  for (const { name, postponed } of summary?.jobs ?? [])
    if (postponed !== null) outcome.postponed.push({ names: [name], postponement: postponed })
}

function addPostponed({ postponed, reports }: Outcome, names: readonly string[], error: PostponedError): void {
  const postponement = postponementOf(error)
  postponed.push({ names, postponement })
  reports.push({ ...unopened, resumeAt: postponement.resumeAt, reason: postponement.reason, postponed: names })
}

function addBusy({ busy, reports }: Outcome, names: readonly string[], error: StreamTakenError): void {
  reports.push({ ...unopened, busy: names.map((name) => ({ name, reason: error.message, streams: error.streams })) })
  for (const name of names) busy.add(name)
}

function addFailure(outcome: Outcome, names: readonly string[], error: unknown): void {
  outcome.reports.push({ ...unopened, failed: names, error: errorFacts(error) })
  for (const name of names) outcome.failed.add(name)
  outcome.failureCode ||= exitCodeOf(error)
}

type Ending = {
  /** Every group of the command, and the groups that were split off. */
  readonly groups: readonly JobGroup[]
  readonly isOnly: boolean
  readonly options: GroupOptions
  readonly json: boolean
  readonly deadline: Deadline
  readonly source: Pick<SourceOutage, 'lasting'>
}

/** Prints how a command ended, and returns its exit code. */
async function concludeOutcome(outcome: Outcome, ending: Ending): Promise<number> {
  const { groups, isOnly, json, deadline, source } = ending
  const unfinished = unfinishedJobs(outcome, groups)
  const isLate = deadline.signal.aborted && unfinished.length > 0
  if (json) await printJson(isOnly ? joinedReport(outcome.reports) : outcome.reports)
  else await printClosing(outcome, ending)
  const { failed, busy, failureCode, postponed } = outcome
  if (failed.size > 0)
    process.stderr.write(
      `error: ${failed.size} of ${new Set(namesOf(groups)).size} jobs failed: ${[...failed].join(', ')}\n`,
    )
  if (busy.size > 0)
    process.stderr.write(
      `busy: other runs have streams of ${[...busy].join(', ')}; run again later, or run with --wait\n`,
    )
  const outage = isLate ? source.lasting() : null
  if (outage !== null)
    process.stderr.write(`error: the source failed until the deadline: ${outage.url}: ${outage.reason}\n`)
  if (isLate) process.stderr.write(`deadline: work is left for ${unfinished.join(', ')}; run again\n`)
  if (failureCode !== 0) return failureCode
  if (outage !== null) return sourceFailed
  if (busy.size > 0) return streamsBusy
  return postponed.length > 0 || isLate ? runAgainLater : 0
}

async function printClosing({ results, postponed }: Outcome, { options, deadline }: Ending): Promise<void> {
  const { stop, lake } = options
  const summaries = results.flatMap(({ summary }) => summary ?? [])
  const isEmpty = stop.aborted && summaries.every(({ jobs }) => jobs.length === 0)
  const ended = deadline.signal.aborted ? 'deadline' : stop.aborted ? 'signal' : null
  const closing = isEmpty ? nothingFetched : closingText(summaries, lake.folder, ended)
  if (closing !== null) await printLine(closing)
  const later = stop.aborted ? null : postponedText(postponed)
  if (later !== null) await printLine(later)
}

/** Jobs that a run did not finish, and jobs of groups that did not begin. */
function unfinishedJobs({ results, begun }: Outcome, groups: readonly JobGroup[]): string[] {
  const unfinished = results.flatMap(({ summary }) => summary?.unfinished ?? [])
  return [...new Set([...unfinished, ...namesOf(groups.filter((group) => !begun.has(group)))])]
}

/** One report for a single group: busy jobs that waited ran after the other jobs of the group. */
function joinedReport(reports: readonly Report[]): object {
  const last = reports.at(-1)
  const jobs = reports.flatMap((report) => report.jobs)
  const busy = (last?.busy ?? []).filter(({ name }) => !jobs.some((job) => job.name === name))
  return { ...unopened, stopped: true, ...last, jobs, busy }
}

function namesOf(groups: readonly JobGroup[]): string[] {
  return groups.flatMap(({ jobs }) => jobs.map(({ name }) => name))
}

/** Watches whether a source fails until the end of a command, so that the job that reads it does nothing. */
type SourceOutage = {
  readonly onEvent: (event: RunEvent) => void
  /** The last failure of the source; null when the job did something, or when the source does not fail at present. */
  readonly lasting: () => { readonly url: string; readonly reason: string } | null
}

/** After its pause, a request may take this long to fail again. */
const requestMs = 60_000

export function watchSource(now: () => number = () => performance.now()): SourceOutage {
  let failed: { readonly url: string; readonly reason: string; readonly untilMs: number } | null = null
  return {
    onEvent(event) {
      // A source that limits the rate is there.
      if (event.kind === 'retry' && event.limited === undefined)
        failed = { url: event.url, reason: event.reason, untilMs: now() + event.waitMs + requestMs }
      else if (event.kind === 'round' && event.is === 'ended') failed = null
      else if (event.kind === 'progress' || event.kind === 'stored') failed = null
    },
    lasting: () => (failed === null || now() > failed.untilMs ? null : failed),
  }
}

/** The time at which a command must have ended. */
type Deadline = {
  /** Aborted early enough to commit and publish finished units before the deadline. */
  readonly signal: AbortSignal
  /** Cancels the timer, so that the process can end earlier. */
  readonly end: () => void
}

/** Time reserved for stopping: 10 seconds, or a quarter of a shorter deadline. */
const mostStopMs = 10_000

/** Creates the deadline; with null it is never reached. */
export function createDeadline(milliseconds: number | null): Deadline {
  const controller = new AbortController()
  if (milliseconds === null) return { signal: controller.signal, end: () => undefined }
  const leftMs = milliseconds - Math.min(mostStopMs, milliseconds / 4)
  const timer = setTimeout(() => controller.abort(new Error('The deadline (--deadline) is reached.')), leftMs)
  return { signal: controller.signal, end: () => clearTimeout(timer) }
}

const nothingFetched = 'Stopped before anything was fetched.'

/** The result of each job of a run, for people. */
export function jobTexts(summary: RunSummary): string[] {
  return summary.jobs.map((job) => jobText(job, summary.network))
}

/** How the runs of a command ended; null when there was nothing new. */
function closingText(
  summaries: readonly RunSummary[],
  lakeDir: string,
  ended: 'signal' | 'deadline' | null,
): string | null {
  if (ended === 'deadline') return 'Stopped at the deadline; the rows above are committed. Run again to resume.'
  if (ended === 'signal') return 'Stopped by a signal; the rows above are committed. Run again to resume.'
  return summaries.some(({ jobs }) => jobs.some((job) => !job.upToDate)) ? `Lake: ${lakeDir}` : null
}

/** Jobs that ended early and must be run again later. */
type Postponed = { readonly names: readonly string[]; readonly postponement: Postponement }

/** One line per reason. */
function postponedText(postponed: readonly Postponed[]): string | null {
  const reasons = new Map<string, Postponed>()
  for (const one of postponed) {
    const { resumeAt, reason } = one.postponement
    const names = [...(reasons.get(reason)?.names ?? []), ...one.names]
    // Consecutive jobs may get the same reason with times that differ by seconds: the last time counts.
    reasons.set(reason, { names, postponement: { ...one.postponement, resumeAt } })
  }
  const lines = [...reasons.values()].map(({ names, postponement: { resumeAt, reason, hint } }) => {
    const time = resumeAt.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')
    return `Resume after ${time} (${names.join(', ')}): ${reason}${hint === null ? '' : ` ${hint}`}`
  })
  return lines.length === 0 ? null : lines.join('\n')
}

function jobText(job: JobResult, network: string): string {
  if (job.kind === 'list') return listText(job)
  const stream = `${job.name === job.pipeline ? '' : `${job.name}: `}${job.pipeline} (${network}, ${job.stream})`
  if (job.head === null) {
    const empty = job.record === 'container' ? 'the index is empty' : `there is no ${job.record} yet`
    return job.postponed === null ? `${stream}: up to date: ${empty}.` : `${stream}: nothing yet.`
  }
  const head = countText(job.head)
  if (job.upToDate)
    return `${stream}: up to date at ${job.record === 'container' ? 'index' : job.record} ${head}: nothing new.`
  const rate = job.seconds > 0 ? `, ${countText(Math.round(job.records / job.seconds))}/s` : ''
  const summed = job.streams === 1 ? '' : `, summed over ${countText(job.streams)} streams,`
  const title = `${stream}: ${countText(job.records)} ${job.record}s${summed} in ${durationText(job.seconds)}${rate}, head ${head}`
  return `${title}\n${resultTable(job)}`
}

/** A job with its pipeline, if it has another name. */
export function namedJob(name: string, pipeline: string): string {
  return name === pipeline ? name : `${name} (${pipeline})`
}

function listText(job: Extract<JobResult, { kind: 'list' }>): string {
  return job.unanswered === undefined ? rowsText(job) : `${rowsText(job)}\n${unansweredText(job.unanswered)}`
}

/** Up to this many ids are printed; `--json` has all. */
const fewIds = 5

function unansweredText({ reason, hint, count, ids }: Unanswered): string {
  const more = count > fewIds ? ` and ${countText(count - fewIds)} more (all with --json)` : ''
  return `  ${countText(count)} without an answer: ${reason}: ${ids.slice(0, fewIds).join(', ')}${more}. ${hint}`
}

function rowsText(job: Extract<JobResult, { kind: 'list' }>): string {
  const named = namedJob(job.name, job.pipeline)
  const pages = `${countText(job.pages)} ${job.pages === 1 ? 'page' : 'pages'}`
  const streams = job.streams === 1 ? '' : ` of ${countText(job.streams)} streams`
  const rows = job.tables.reduce((sum, table) => sum + table.rows, 0)
  if (rows === 0) return `${named}: ${job.upToDate ? 'up to date: ' : ''}nothing new in ${pages}${streams}.`
  return `${named}: ${countText(rows)} ${rows === 1 ? 'row' : 'rows'} from ${pages}${streams} in ${durationText(job.seconds)}\n${resultTable(job)}`
}

/** The tables that a job wrote, with rows, files and bytes. */
function resultTable(job: Pick<JobResult, 'tables'>): string {
  return textTable(
    ['  table', '>rows', '>files', '>bytes'],
    job.tables.map(({ name, rows, files, bytes }) => [
      `  ${name}`,
      countText(rows),
      countText(files),
      bytesText(bytes),
    ]),
  )
}
