import { pipelines } from '../../../../pipelines/index.ts'
import { lakeExists } from '../../../catalog/lake/lake-folder.ts'
import { ConfigError } from '../../../errors.ts'
import { replaceFile } from '../../../lib/files/replace-file.ts'
import type { EmitEvent } from '../../../run/job/events.ts'
import { readsService } from '../../../run/job/job.ts'
import type { RunOptions } from '../../../run/jobs/run-options.ts'
import type { WorkSession } from '../../../run/work/work-session.ts'
import { type ServiceProfile, serviceSettings } from '../../../sources/service-profile.ts'
import { allRight, checkedJobs } from '../../jobs/check-jobs.ts'
import { jobsOf } from '../../jobs/jobs.ts'
import { appendWork, createWorkRecorder, type WorkRecorder } from '../../jobs/record-work.ts'
import { asksLake, type JobRequest } from '../../jobs/resolve-job.ts'
import { nodeOptions } from '../../settings/node-options.ts'
import { parseDuration, parsePort } from '../../settings/numbers.ts'
import { profileSettings, serviceProfile } from '../../settings/service-settings.ts'
import { readSettings, type Settings } from '../../settings/settings.ts'
import type { SettingFlags } from '../../settings/typed-value.ts'
import { exitCodeOf } from '../../terminal/error-text.ts'
import { createLogger, type Logger } from '../../terminal/logger.ts'
import { createProgress } from '../../terminal/progress.ts'
import { eventListener } from '../../terminal/run-events.ts'
import { untilSignal } from '../../terminal/signals.ts'
import { writableFile } from '../../terminal/writable-file.ts'
import { createChanges } from './changes.ts'
import { createDeadline } from './deadline.ts'
import type { KeptMetrics } from './keep-metrics.ts'
import type { KeptReport } from './keep-report.ts'
import { type JobGroup, runGroups } from './run-groups.ts'

type RunFlags = SettingFlags & {
  readonly follow?: boolean | undefined
  readonly json?: boolean | undefined
  readonly wait?: boolean | undefined
  readonly workers?: boolean | undefined
  readonly lease?: string | undefined
  readonly deadline?: string | undefined
  readonly publish?: string | undefined
  readonly 'on-done'?: string | undefined
  readonly report?: string | undefined
  readonly 'metrics-file'?: string | undefined
  readonly 'metrics-port'?: string | undefined
}

/** `chainlake run`: resolves to the exit code. */
export async function runJobs(names: readonly string[], flags: RunFlags): Promise<number> {
  if (flags.publish !== undefined) (await import('./publish-at-end.ts')).canPublish(flags.publish)
  const settings = await readSettings(flags)
  const lease = leaseOf(flags)
  const requested = jobsOf(names, flags, settings, pipelines)
  const service = await serviceOf(requested, flags, settings)
  const checked = await checkedJobs(requested, service === null ? null : serviceSettings(service), settings.lake)
  const jobs = flags['all'] === true ? checked : allRight(checked)
  // A place that cannot hold a lake is said before the node is asked.
  await lakeExists(settings.lake)
  const terminal = process.stderr.isTTY === true
  const progress = terminal ? createProgress() : undefined
  const logger = createLogger({ level: settings.logLevel, terminal, ...(progress === undefined ? {} : { progress }) })
  const deadline = createDeadline(flags.deadline === undefined ? null : parseDuration('--deadline', flags.deadline))
  const changes = createChanges()
  const work = createWorkRecorder()
  const onDone = flags['on-done'] === undefined ? null : await writableFile('--on-done', flags['on-done'])
  const listener = eventListener(logger, progress)
  const metrics = await metricsOf(flags, service)
  const reportFile = flags.report === undefined ? null : await writableFile('--report', flags.report)
  return untilSignal(
    async ({ signal, code }) => {
      const report = await reportOf(reportFile, settings.lake, signal, logger)
      const options: Omit<RunOptions, 'jobs'> = {
        ...nodeOptions(settings),
        ...(service === null ? {} : { service }),
        lakeDir: settings.lake,
        ...(flags.follow === true ? { follow: { maxLagMs: settings.maxLagMs } } : {}),
        ...(settings.compact ? { compact: true } : {}),
        ...(settings.expireMs === undefined ? {} : { expireMs: settings.expireMs }),
        stop: AbortSignal.any([signal, deadline.signal]),
        emit: (event) => {
          changes.hear(event)
          work.hear(event)
          metrics?.hear(event)
          report?.hear(event)
          listener(event)
        },
      }
      const output = { json: flags.json === true, logger, progress }
      let exitCode = 1
      try {
        const ended = await runGroups(groupsOf(jobs, flags), options, {
          ...output,
          wait: flags.wait === true,
          deadline,
          workers:
            lease === null
              ? null
              : { leaseSeconds: lease, open: () => openSession(settings.lake, options.stop, listener) },
        })
        if (flags.publish !== undefined) {
          const { publishAtEnd } = await import('./publish-at-end.ts')
          await publishAtEnd(settings.lake, logger, { stop: signal, emit: listener })
        }
        exitCode = code() ?? ended
        await recordWork(work, settings.lake, logger)
        await report?.end()
      } catch (error) {
        exitCode = exitCodeOf(error)
        throw error
      } finally {
        deadline.end()
        await metrics?.end(exitCode)
        if (onDone !== null) await replaceFile(onDone, `${JSON.stringify(changes.report(settings.lake, exitCode))}\n`)
      }
      return exitCode
    },
    (name) => {
      const what = lease === null ? 'committing what is there' : 'what is queued stays queued'
      logger.warn(`${name}: ${what}; a second one ends at once`)
    },
  )
}

/** Within how many seconds workers must say that they live; null when this process does the jobs. */
function leaseOf(flags: RunFlags): number | null {
  if (flags.workers !== true) {
    if (flags.lease === undefined) return null
    throw new ConfigError('--lease is for --workers.', {
      code: 'config.lease',
      hint: 'Leave one out or add the other.',
    })
  }
  // What chainlake.yaml says of compaction and expiry is for runs that do the work themselves.
  const other = othersOfWorkers.find((name) => flags[name] !== undefined && flags[name] !== false)
  if (other !== undefined)
    throw new ConfigError(`--${other} does not go with --workers.`, {
      code: 'config.workers',
      hint: withoutWorkers[other],
    })
  const leaseSeconds = Math.round(parseDuration('--lease', flags.lease ?? '60s') / 1000)
  if (leaseSeconds >= shortestLease) return leaseSeconds
  throw new ConfigError(`--lease is at least ${shortestLease}s.`, {
    code: 'config.lease',
    hint: 'Workers say several times within it that they live.',
  })
}

/** What a run that leaves its work to others cannot do, and what does it instead. */
const withoutWorkers = {
  follow: 'Run it again and again, such as by a scheduler: what is queued already is not queued twice.',
  compact: 'Run chainlake compact beside the workers.',
  expire: 'Run chainlake expire beside the workers.',
  'on-done': 'What changed is known to the workers: compare the snapshots of chainlake status, or ask the views.',
  'metrics-file': 'What was fetched and stored is known to the workers: leave it out.',
  'metrics-port': 'What was fetched and stored is known to the workers: leave it out.',
} as const
const othersOfWorkers = Object.keys(withoutWorkers) as (keyof typeof withoutWorkers)[]

/** Loaded only for workers. */
async function openSession(lake: string, stop: AbortSignal, emit: EmitEvent): Promise<WorkSession> {
  return (await import('../../../run/work/work-session.ts')).openWorkSession(lake, { stop, emit })
}

/** Of what pg-boss takes. */
const shortestLease = 10

/** What a command did is known to the pages of the lake from then on. */
async function recordWork(work: WorkRecorder, lakeDir: string, logger: Logger): Promise<void> {
  const entry = work.entry()
  if (entry === null || !(await lakeExists(lakeDir))) return
  await appendWork(lakeDir, entry, ({ message }) =>
    logger.warn(`What was done is not recorded in the lake: ${message}`),
  )
}

/** What keeps a page about the lake; null when nobody wants one. */
async function reportOf(
  file: string | null,
  lakeDir: string,
  stop: AbortSignal,
  logger: Logger,
): Promise<KeptReport | null> {
  if (file === null) return null
  const [{ keepReport }, { writeReport }] = await Promise.all([
    import('./keep-report.ts'),
    import('../report/write-report.ts'),
  ])
  return keepReport({
    // A run that failed before there was a lake leaves no page of it.
    write: async (limit) => {
      if (await lakeExists(lakeDir)) await writeReport(lakeDir, file, limit)
    },
    stop,
    failed: (error) => logger.warn(`The report was not renewed: ${error instanceof Error ? error.message : error}`),
  })
}

/** What keeps metrics; null when nobody wants them. */
async function metricsOf(flags: RunFlags, service: ServiceProfile | null): Promise<KeptMetrics | null> {
  const { 'metrics-file': file, 'metrics-port': port } = flags
  if (file === undefined && port === undefined) return null
  const { keepMetrics } = await import('./keep-metrics.ts')
  return keepMetrics({
    file: file === undefined ? null : await writableFile('--metrics-file', file),
    port: port === undefined ? null : parsePort('--metrics-port', port),
    unitsPerDay: service?.unitsPerDay ?? {},
  })
}

/** The service that the jobs ask; null when none of them asks one. */
async function serviceOf(
  jobs: readonly JobRequest[],
  flags: RunFlags,
  settings: Settings,
): Promise<ServiceProfile | null> {
  if (!jobs.some((job) => job.kind === 'asked' && readsService(job.pipeline))) return null
  return serviceProfile(await profileSettings(flags, settings))
}

/**
 * Jobs that are run together. With --all each is run on its own, so that one that fails does not end the others; so are jobs when
 * a later one reads its list from the lake, which those before it fill. Followed ones go together, after a round each on its own
 * when lists come from the lake. Jobs that are wrong end no other, and are told first.
 */
function groupsOf(all: readonly JobRequest[], flags: RunFlags): JobGroup[] {
  const follow = flags.follow === true
  const jobs = all.filter(({ kind }) => kind !== 'wrong')
  const asking = jobs.slice(1).some(asksLake)
  const apart = asking || (flags['all'] === true && !follow)
  return [
    ...all.flatMap((job) => (job.kind === 'wrong' ? [{ jobs: [job], follow: false }] : [])),
    ...(apart ? jobs.map((job) => ({ jobs: [job], follow: false })) : []),
    ...(jobs.length > 0 && (follow || !apart) ? [{ jobs, follow }] : []),
  ]
}
