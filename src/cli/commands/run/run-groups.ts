import { PostponedError, StreamTakenError } from '../../../errors.ts'
import type { WorkSession } from '../../../run/work/work-session.ts'
import type { ParquetThread } from '../../../write/parquet-thread.ts'
import { queriesLake } from '../../jobs/resolve-job.ts'
import { errorText } from '../../terminal/error-text.ts'
import type { Logger } from '../../terminal/logger.ts'
import { printLine } from '../../terminal/output.ts'
import type { Progress } from '../../terminal/progress.ts'
import type { Deadline } from './deadline.ts'
import {
  addBusy,
  addFailure,
  addPostponed,
  addResult,
  concludeOutcome,
  createOutcome,
  type Outcome,
} from './group-outcome.ts'
import { type GroupContext, type GroupOptions, type GroupResult, type JobGroup, runGroup } from './run-group.ts'
import { jobTexts } from './run-summary.ts'
import type { SourceOutage } from './source-outage.ts'

type Output = { readonly json: boolean; readonly logger: Logger; readonly progress: Progress | undefined }

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
  return (await import('../../../write/parquet-thread.ts')).createParquetThread()
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
