import type { PostponedError, StreamTakenError } from '../../../errors.ts'
import { postponementOf } from '../../../run/job/postponement.ts'
import { skippedResult } from '../../jobs/resolve-job.ts'
import { errorFacts, exitCodeOf } from '../../terminal/error-text.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import type { Deadline } from './deadline.ts'
import type { GroupOptions, GroupResult, JobGroup } from './run-group.ts'
import { closingText, nothingFetched, type Postponed, postponedText } from './run-summary.ts'
import type { SourceOutage } from './source-outage.ts'

/** What the groups of a command have done so far. */
export type Outcome = {
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

export function createOutcome(): Outcome {
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

export function addResult(outcome: Outcome, result: GroupResult): void {
  const { summary, skipped } = result
  const report = summary ?? unopened
  outcome.results.push(result)
  outcome.reports.push({ schema: runSchema, ...report, jobs: [...skipped.map(skippedResult), ...report.jobs] })
  for (const { name, postponed } of summary?.jobs ?? [])
    if (postponed !== null) outcome.postponed.push({ names: [name], postponement: postponed })
}

export function addPostponed({ postponed, reports }: Outcome, names: readonly string[], error: PostponedError): void {
  const postponement = postponementOf(error)
  postponed.push({ names, postponement })
  reports.push({ ...unopened, resumeAt: postponement.resumeAt, reason: postponement.reason, postponed: names })
}

export function addBusy({ busy, reports }: Outcome, names: readonly string[], error: StreamTakenError): void {
  reports.push({ ...unopened, busy: names.map((name) => ({ name, reason: error.message, streams: error.streams })) })
  for (const name of names) busy.add(name)
}

export function addFailure(outcome: Outcome, names: readonly string[], error: unknown): void {
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
export async function concludeOutcome(outcome: Outcome, ending: Ending): Promise<number> {
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
