import { groupBy } from '../../lib/arrays.ts'
import { counted, countText, durationText } from '../../lib/text.ts'
import { type JobResult, jobResult, type Postponement } from '../../run/events.ts'
import type { GroupEnd, runGroups, SkippedJob } from '../../run/jobs/run-groups.ts'
import type { RunSummary } from '../../run/jobs/start-jobs.ts'
import type { Logger } from './run-events.ts'
import { textTable } from './tables.ts'
import { errorFacts, errorText, exitCodeOf, printJson, printLine } from './terminal.ts'

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

/** What became of a group, for `--json`. */
function reportOf(end: GroupEnd): Report {
  const { names } = end
  if (end.is === 'failed') return { ...unopened, failed: names, error: errorFacts(end.error) }
  if (end.is === 'busy') {
    const { reason, streams } = end
    return { ...unopened, busy: names.map((name) => ({ name, reason, streams })) }
  }
  if (end.is === 'postponed') {
    const { resumeAt, reason } = end.postponement
    return { ...unopened, resumeAt, reason, postponed: names }
  }
  const report = end.summary ?? unopened
  return { ...unopened, ...report, jobs: [...end.skipped.map(skippedResult), ...report.jobs] }
}

/** The result of a skipped job in `--json`: up to date, with the reason. */
export function skippedResult({ name, pipeline, list, query }: SkippedJob) {
  return { ...jobResult({ name, pipeline, streams: 0, tables: [], range: null }, {}), skipped: { list, query } }
}

/** Prints what became of a group, while others still run. */
export async function printEnd(end: GroupEnd, json: boolean, logger: Logger): Promise<void> {
  const names = end.names.join(', ')
  if (end.is === 'busy') logger.warn(`${names}: left out: ${end.reason}`)
  if (end.is === 'failed') {
    logger.error(`${names} failed${end.follow ? '' : '; the other jobs continue'}`)
    process.stderr.write(`${errorText(end.error)}\n`)
  }
  if (end.is !== 'done' || json) return
  const texts = [
    ...end.skipped.map(({ name, list }) => `${name}: skipped: the query of ${list} returns no row.`),
    ...(end.summary === null ? [] : jobTexts(end.summary)),
  ]
  if (texts.length > 0) await printLine(texts.join('\n'))
}

type Shown = {
  readonly json: boolean
  /** Whether there was only one group. Then `--json` prints one report, not a list. */
  readonly isOnly: boolean
  readonly lake: string
  /** What ended the command early; null for nothing. */
  readonly stoppedBy: 'deadline' | 'signal' | null
}

/**
 * Prints how a command ended. Resolves to 0, the exit code of the first failure, 3 when a source failed until the deadline, 8 when nothing
 * failed and other runs had streams of a job, or 7 when work is left for a later run.
 */
export async function printOutcome(outcome: Awaited<ReturnType<typeof runGroups>>, shown: Shown): Promise<number> {
  const { ends, count, busy, left, outage } = outcome
  const reports = ends.map(reportOf)
  if (shown.json) await printJson(shown.isOnly ? joinedReport(reports) : reports)
  else await printClosing(ends, shown)
  const failures = ends.filter((end) => end.is === 'failed')
  const failed = [...new Set(failures.flatMap(({ names }) => names))]
  const say = (applies: boolean, line: string) => applies && process.stderr.write(`${line}\n`)
  say(failed.length > 0, `error: ${failed.length} of ${count} jobs failed: ${failed.join(', ')}`)
  say(busy.length > 0, `busy: other runs have streams of ${busy.join(', ')}; run again later, or run with --wait`)
  say(outage !== null, `error: the source failed until the deadline: ${outage?.url}: ${outage?.reason}`)
  say(left.length > 0, `deadline: work is left for ${left.join(', ')}; run again`)
  if (failures[0] !== undefined) return exitCodeOf(failures[0].error)
  if (outage !== null) return sourceFailed
  if (busy.length > 0) return streamsBusy
  return postponedIn(ends).length + left.length > 0 ? runAgainLater : 0
}

/** Jobs that ended early and must be run again later. */
type Postponed = { readonly names: readonly string[]; readonly postponement: Postponement }

function postponedIn(ends: readonly GroupEnd[]): Postponed[] {
  return ends.flatMap((end): readonly Postponed[] => {
    if (end.is === 'postponed') return [end]
    const jobs = end.is === 'done' ? (end.summary?.jobs ?? []) : []
    return jobs.flatMap(({ name, postponed }) =>
      postponed === null ? [] : [{ names: [name], postponement: postponed }],
    )
  })
}

async function printClosing(ends: readonly GroupEnd[], { lake, stoppedBy }: Shown): Promise<void> {
  const jobs = ends.flatMap((end) => (end.is === 'done' ? (end.summary?.jobs ?? []) : []))
  const postponed = postponedIn(ends)
  const by = stoppedBy === 'deadline' ? 'at the deadline' : 'by a signal'
  if (stoppedBy !== null && jobs.length === 0) await printLine('Stopped before anything was fetched.')
  else if (stoppedBy !== null) await printLine(`Stopped ${by}; the rows above are committed. Run again to resume.`)
  else if (jobs.some((job) => !job.upToDate)) await printLine(`Lake: ${lake}`)
  if (stoppedBy === null && postponed.length > 0) await printLine(postponedText(postponed))
}

/** One report for a single group: busy jobs that waited ran after the other jobs of the group. */
function joinedReport(reports: readonly Report[]): object {
  const last = reports.at(-1)
  const jobs = reports.flatMap((report) => report.jobs)
  const busy = (last?.busy ?? []).filter(({ name }) => !jobs.some((job) => job.name === name))
  return { ...unopened, stopped: true, ...last, jobs, busy }
}

/** The result of each job of a run, for people. */
export function jobTexts(summary: RunSummary): string[] {
  return summary.jobs.map((job) => jobText(job, summary.network))
}

/** One line per reason. */
function postponedText(postponed: readonly Postponed[]): string {
  const lines = [...groupBy(postponed, ({ postponement }) => postponement.reason)].map(([reason, alike]) => {
    const names = alike.flatMap((one) => one.names).join(', ')
    // Consecutive jobs may get the same reason with times that differ by seconds: the last time counts.
    const { resumeAt, hint } = alike.at(-1)!.postponement
    const time = resumeAt.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')
    return `Resume after ${time} (${names}): ${reason}${hint === null ? '' : ` ${hint}`}`
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
    job.tables.map(({ name, rows, files, bytes }) => [`  ${name}`, rows, files, bytes]),
  )
}
