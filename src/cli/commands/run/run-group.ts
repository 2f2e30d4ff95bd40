import { StreamTakenError } from '../../../errors.ts'
import { roundInterval } from '../../../run/heads/round-interval.ts'
import type { Job } from '../../../run/job/job.ts'
import { waitUnlessStopped } from '../../../run/job/wait.ts'
import type { RunOptions, RunSummary } from '../../../run/jobs/run-options.ts'
import type { WorkSession } from '../../../run/work/work-session.ts'
import { isSkipped, type JobRequest, resolveJob, type SkippedJob } from '../../jobs/resolve-job.ts'
import type { Logger } from '../../terminal/logger.ts'

/** Jobs that run together: once, or until a signal. */
export type JobGroup = { readonly jobs: readonly JobRequest[]; readonly follow: boolean }

export type GroupOptions = Omit<RunOptions, 'jobs'>

/** How the jobs of a group are run. */
export type GroupContext = {
  readonly logger: Logger
  /** Workers do the jobs; null: this process does. */
  readonly queueing: { readonly leaseSeconds: number; readonly session: WorkSession } | null
  /** Wait for streams that other runs have. */
  readonly wait: boolean
}

/** The result of jobs that ran together; `summary` is null when all of them were skipped. */
export type GroupResult = { readonly summary: RunSummary | null; readonly skipped: readonly SkippedJob[] }

/** Runs a group. With `wait`, tries again while other runs have all of its streams. */
export async function runGroup(group: JobGroup, options: GroupOptions, context: GroupContext): Promise<GroupResult> {
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
  const { createOutages, untilItSucceeds } = await import('../../../run/jobs/outage.ts')
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
    const { runWithWorkers } = await import('../../../run/work/run-with-workers.ts')
    return { summary: await runWithWorkers({ ...options, ...queueing, jobs }), skipped }
  }
  // Imported only now, so that a mistake in the flags is reported at once.
  const { runPipelines } = await import('../../../run/jobs/run-pipelines.ts')
  return {
    summary: await runPipelines({ ...options, ...(group.follow && follow !== undefined ? { follow } : {}), jobs }),
    skipped,
  }
}
