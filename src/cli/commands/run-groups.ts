import { PostponedError, StreamTakenError } from '../../errors.ts'
import { bytesText, counted, countText, durationText } from '../../lib/text.ts'
import { isStop, waitUnlessStopped } from '../../run/error-parts.ts'
import { type JobResult, type Postponement, postponementOf, type RunEvent } from '../../run/events.ts'
import { type Job, roundInterval } from '../../run/job.ts'
import type { RunOptions, RunSummary } from '../../run/jobs/start-jobs.ts'
import type { WorkSession } from '../../run/work/queue.ts'
import { isSkipped, type JobRequest, queriesLake, resolveJob, skippedResult } from '../jobs/jobs.ts'
import type { createProgress } from '../terminal/progress.ts'
import type { Logger } from '../terminal/run-events.ts'
import { textTable } from '../terminal/tables.ts'
import { errorFacts, errorText, exitCodeOf, printJson, printLine } from '../terminal/terminal.ts'

/** Jobs that run together: once, or until a signal. */
type JobGroup = { readonly jobs: readonly JobRequest[]; readonly follow: boolean }

/** What all groups of a command have in common. */
type SharedOptions = {
  /** Options of each run. */
  readonly run: Omit<RunOptions, 'jobs'>
  readonly json: boolean
  readonly logger: Logger
  readonly progress: ReturnType<typeof createProgress> | undefined
  /** Wait for streams that other runs have. */
  readonly wait: boolean
  readonly deadline: AbortSignal | null
  readonly source: Pick<ReturnType<typeof watchSource>, 'lasting'>
  /** Workers do the jobs; null: this process does. */
  readonly workers: {
    /** Workers must renew their lease within this many seconds. */
    readonly leaseSeconds: number
    /** Opens the connection to the queue that all runs of the command share. */
    readonly open: () => Promise<WorkSession>
  } | null
}

/** What became of jobs that ran together, for `--json`. */
type Report = {
  readonly jobs: readonly { readonly name: string }[]
  readonly busy: readonly { readonly name: string }[]
  readonly failed?: readonly string[]
  readonly unfinished: readonly string[]
  readonly [fact: string]: unknown
}

/** The report of a run that did not open the lake. Fields may be added to the format, but existing ones keep their name and meaning. */
const unopened = {
  schema: 'chainlake.run.v1',
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

/** What the groups of a command have done so far. */
type Outcome = {
  readonly begun: Set<JobGroup>
  readonly summaries: RunSummary[]
  readonly reports: Report[]
  readonly postponed: Postponed[]
  /** Names of jobs that failed. */
  readonly failed: Set<string>
  /** The exit code of the first failure; 0 for none. */
  failureCode: number
}

/**
 * Runs groups of jobs one after another and prints their results. Resolves to 0, the exit code of the first failure, 8 when nothing failed
 * and other runs had streams of a job, 3 when a source failed until the deadline, or 7 when work is left for a later run. With one group its
 * failure is thrown; with several groups the later ones still run, without the jobs that failed.
 */
export async function runGroups(groups: readonly JobGroup[], shared: SharedOptions): Promise<number> {
  const { run, logger, progress, wait, workers } = shared
  const isOnly = groups.length === 1
  const session = await workers?.open()
  const queueing = workers === null || session === undefined ? null : { leaseSeconds: workers.leaseSeconds, session }
  // Several runs share a thread: starting one for each takes longer than most of them.
  const thread = isOnly ? undefined : (await import('../../write/parquet-thread.ts')).createParquetThread()
  /** Groups to run next. Busy jobs come back as groups of their own. */
  const waiting = [...groups]
  /** Busy jobs of followed groups, as groups of their own: they run next to the others as soon as they are free. */
  const overlapping: { readonly group: JobGroup; readonly done: Promise<void> }[] = []
  const outcome: Outcome = {
    begun: new Set(),
    summaries: [],
    reports: [],
    postponed: [],
    failed: new Set(),
    failureCode: 0,
  }
  let thrown: unknown = null
  /** Runs the jobs of a group that have not failed before, and records what they did. */
  const runRest = async (group: JobGroup, options: typeof run): Promise<void> => {
    outcome.begun.add(group)
    const rest = { ...group, jobs: group.jobs.filter(({ name }) => !outcome.failed.has(name)) }
    const names = namesOf([rest])
    if (names.length === 0) return
    const left = new Set<string>()
    const leave = (busy: ReadonlySet<string>): void => {
      for (const name of busy) left.add(name)
      const own = only(rest, busy)
      overlapping.push({ group: own, done: runRest(own, run) })
    }
    progress?.begin(names)
    try {
      const given = wait && group.follow ? { ...options, leave } : options
      const result = await runGroup(rest, given, { logger, queueing, wait }).finally(() => progress?.forget(names))
      if (wait && !group.follow) waiting.push(...busyOf(rest, result.summary))
      await recordResult(outcome, result, shared)
    } catch (error) {
      const own = names.filter((name) => !left.has(name))
      take(error, group, own)
    }
  }
  const take = (error: unknown, group: JobGroup, names: readonly string[]): void => {
    if (isStop(error, run.stop)) outcome.begun.delete(group)
    else if (isOnly && overlapping.length === 0 && !(error instanceof PostponedError)) thrown ??= error
    else recordError(outcome, error, { names, follow: group.follow, logger })
  }
  const options = thread === undefined ? run : { ...run, thread }
  while (waiting.length > 0 && !run.stop.aborted)
    await Promise.all(shiftSome(waiting, workers !== null).map((group) => runRest(group, options)))
  // More may come while these are waited for.
  for (const { done } of overlapping) await done
  await thread?.close()
  await session?.close()
  progress?.end()
  if (thrown !== null) throw thrown
  const all = [...groups, ...waiting, ...overlapping.map(({ group }) => group)]
  return concludeOutcome(outcome, all, { ...shared, isOnly })
}

async function recordResult(
  { summaries, reports, postponed }: Outcome,
  { summary, skipped }: Awaited<ReturnType<typeof runGroup>>,
  { json }: SharedOptions,
): Promise<void> {
  if (summary !== null) summaries.push(summary)
  const report = summary ?? unopened
  reports.push({ ...unopened, ...report, jobs: [...skipped.map(skippedResult), ...report.jobs] })
  for (const { name, postponed: until } of summary?.jobs ?? [])
    if (until !== null) postponed.push({ names: [name], postponement: until })
  const texts = [
    ...skipped.map(({ name, list }) => `${name}: skipped: the query of ${list} returns no row.`),
    ...(summary === null ? [] : jobTexts(summary)),
  ]
  if (!json && texts.length > 0) await printLine(texts.join('\n'))
}

function recordError(
  outcome: Outcome,
  error: unknown,
  { names, follow, logger }: { readonly names: readonly string[]; readonly follow: boolean; readonly logger: Logger },
): void {
  const { postponed, reports, failed } = outcome
  if (error instanceof PostponedError) {
    const postponement = postponementOf(error)
    const { resumeAt, reason } = postponement
    postponed.push({ names, postponement })
    reports.push({ ...unopened, resumeAt, reason, postponed: names })
  } else if (error instanceof StreamTakenError) {
    const { message: reason, streams } = error
    logger.warn(`${names.join(', ')}: left out: ${reason}`)
    reports.push({ ...unopened, busy: names.map((name) => ({ name, reason, streams })) })
  } else {
    logger.error(`${names.join(', ')} failed${follow ? '' : '; the other jobs continue'}`)
    process.stderr.write(`${errorText(error)}\n`)
    reports.push({ ...unopened, failed: names, error: errorFacts(error) })
    for (const name of names) failed.add(name)
    outcome.failureCode ||= exitCodeOf(error)
  }
}

/** Prints how a command ended, and returns its exit code. `groups`: all of them, with those that were split off. */
async function concludeOutcome(
  outcome: Outcome,
  groups: readonly JobGroup[],
  shared: SharedOptions & { readonly isOnly: boolean },
): Promise<number> {
  const { begun, summaries, reports, postponed, failed, failureCode } = outcome
  const { json, isOnly, wait, deadline, source } = shared
  if (json) await printJson(isOnly ? joinedReport(reports) : reports)
  else await printClosing(summaries, postponed, shared)
  const unfinished = [...reports, { unfinished: namesOf(groups.filter((group) => !begun.has(group))) }].flatMap(
    (report) => report.unfinished,
  )
  const left = deadline?.aborted === true ? [...new Set(unfinished)] : []
  const outage = left.length === 0 ? null : source.lasting()
  const busy = new Set(wait ? [] : reports.flatMap((report) => report.busy.map(({ name }) => name)))
  const count = new Set(namesOf(groups)).size
  const say = (applies: boolean, line: string) => applies && process.stderr.write(`${line}\n`)
  say(failed.size > 0, `error: ${failed.size} of ${count} jobs failed: ${[...failed].join(', ')}`)
  say(busy.size > 0, `busy: other runs have streams of ${[...busy].join(', ')}; run again later, or run with --wait`)
  say(outage !== null, `error: the source failed until the deadline: ${outage?.url}: ${outage?.reason}`)
  say(left.length > 0, `deadline: work is left for ${left.join(', ')}; run again`)
  if (failureCode !== 0) return failureCode
  if (outage !== null) return sourceFailed
  if (busy.size > 0) return streamsBusy
  return postponed.length + left.length > 0 ? runAgainLater : 0
}

/**
 * Takes the groups that run next: one, and with workers, who have room for more, the groups behind it until one that reads a list from the
 * lake, which earlier groups may fill.
 */
function shiftSome(waiting: JobGroup[], hasRoom: boolean): JobGroup[] {
  const some = waiting.splice(0, 1)
  while (hasRoom && waiting[0]?.jobs.some(queriesLake) === false) some.push(...waiting.splice(0, 1))
  return some
}

/** The jobs of a group that were skipped because other runs have their streams, as a group of their own. */
function busyOf(group: JobGroup, summary: RunSummary | null): JobGroup[] {
  const busy = new Set(summary?.busy.map(({ name }) => name))
  return busy.size === 0 ? [] : [only(group, busy)]
}

function only({ follow, jobs }: JobGroup, names: ReadonlySet<string>): JobGroup {
  return { follow, jobs: jobs.filter(({ name }) => names.has(name)) }
}

function namesOf(groups: readonly JobGroup[]): string[] {
  return groups.flatMap(({ jobs }) => jobs.map(({ name }) => name))
}

/** Pause between attempts while other runs have the streams. */
const busyPauseMs = 1_000

type GroupContext = Pick<SharedOptions, 'logger' | 'wait'> & {
  readonly queueing: { readonly leaseSeconds: number; readonly session: WorkSession } | null
}

/**
 * Runs a group; `summary` is null when all of its jobs are skipped. With `wait`, tries again while other runs have all of its streams. With
 * --follow, jobs run once before the group that follows, to fill the lists of later jobs. An outage that may pass must not end such a run: it
 * is tried again until the outage passes.
 */
async function runGroup(group: JobGroup, options: SharedOptions['run'], context: GroupContext) {
  const { follow, ...once } = options
  const { emit, stop } = options
  const name = namesOf([group]).join(', ')
  const attempt = () => runOnce(group, group.follow ? options : once, context)
  const run = context.wait ? () => untilFree(attempt, options, name) : attempt
  if (group.follow || follow === undefined) return run()
  const { createOutages, untilItSucceeds } = await import('../../run/jobs/rounds.ts')
  return untilItSucceeds(createOutages({ emit, pauseMs: roundInterval(follow) }).of(name), run, stop)
}

/** Tries again while other runs have streams of the jobs. */
async function untilFree<T>(run: () => Promise<T>, { stop, emit }: SharedOptions['run'], name: string): Promise<T> {
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

async function runOnce(group: JobGroup, options: SharedOptions['run'], { logger, queueing }: GroupContext) {
  const resolved = await Promise.all(group.jobs.map((job) => resolveJob(job, options.lake, options.stop)))
  const skipped = resolved.filter(isSkipped)
  for (const job of skipped)
    logger.warn(`${job.name}: skipped: the query of ${job.list} returns no row`, { query: job.query })
  const jobs = resolved.filter((job): job is Job => !isSkipped(job))
  if (jobs.length === 0) return { summary: null, skipped }
  // Imported only now, so that a mistake in the flags is reported at once.
  const summary =
    queueing === null
      ? (await import('../../run/jobs/run-pipelines.ts')).runPipelines({ ...options, jobs })
      : (await import('../../run/work/run-with-workers.ts')).runWithWorkers({ ...options, ...queueing, jobs })
  return { summary: await summary, skipped }
}

/** Prints how a command ended. */
async function printClosing(
  summaries: readonly RunSummary[],
  postponed: readonly Postponed[],
  { run: { stop, lake }, deadline }: SharedOptions,
): Promise<void> {
  const isStopped = stop.aborted
  const by = deadline?.aborted === true ? 'at the deadline' : 'by a signal'
  if (isStopped && summaries.every(({ jobs }) => jobs.length === 0))
    await printLine('Stopped before anything was fetched.')
  else if (isStopped) await printLine(`Stopped ${by}; the rows above are committed. Run again to resume.`)
  else if (summaries.some(({ jobs }) => jobs.some((job) => !job.upToDate))) await printLine(`Lake: ${lake.folder}`)
  if (!isStopped && postponed.length > 0) await printLine(postponedText(postponed))
}

/** One report for a single group: busy jobs that waited ran after the other jobs of the group. */
function joinedReport(reports: readonly Report[]): object {
  const last = reports.at(-1)
  const jobs = reports.flatMap((report) => report.jobs)
  const busy = (last?.busy ?? []).filter(({ name }) => !jobs.some((job) => job.name === name))
  return { ...unopened, stopped: true, ...last, jobs, busy }
}

/** After its pause, a request may take this long to fail again. */
const requestMs = 60_000

/** Watches whether a source fails until the end of a command, so that the job that reads it does nothing. */
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

/** The result of each job of a run, for people. */
export function jobTexts(summary: RunSummary): string[] {
  return summary.jobs.map((job) => jobText(job, summary.network))
}

/** Jobs that ended early and must be run again later. */
type Postponed = { readonly names: readonly string[]; readonly postponement: Postponement }

/** One line per reason. */
function postponedText(postponed: readonly Postponed[]): string {
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
  return lines.join('\n')
}

function jobText(job: JobResult, network: string): string {
  if (job.kind === 'list') return [rowsText(job), ...unansweredLines(job)].join('\n')
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

/** Up to this many ids are printed; `--json` has all. */
const fewIds = 5

function unansweredLines({ unanswered }: JobResult): string[] {
  if (unanswered === undefined) return []
  const { reason, hint, count, ids } = unanswered
  const more = count > fewIds ? ` and ${countText(count - fewIds)} more (all with --json)` : ''
  return [`  ${countText(count)} without an answer: ${reason}: ${ids.slice(0, fewIds).join(', ')}${more}. ${hint}`]
}

function rowsText(job: Extract<JobResult, { kind: 'list' }>): string {
  const named = namedJob(job.name, job.pipeline)
  const pages = counted(job.pages, 'page')
  const streams = job.streams === 1 ? '' : ` of ${countText(job.streams)} streams`
  const rows = job.tables.reduce((sum, table) => sum + table.rows, 0)
  if (rows === 0) return `${named}: ${job.upToDate ? 'up to date: ' : ''}nothing new in ${pages}${streams}.`
  return `${named}: ${counted(rows, 'row')} from ${pages}${streams} in ${durationText(job.seconds)}\n${resultTable(job)}`
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
