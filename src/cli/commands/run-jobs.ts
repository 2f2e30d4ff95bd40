import { dirname } from 'node:path/posix'
import { lakeExists } from '../../catalog/lake.ts'
import type { LakeLocation } from '../../catalog/place.ts'
import { ConfigError } from '../../errors.ts'
import { definedOf, getOrCreate } from '../../lib/arrays.ts'
import { replaceFile } from '../../lib/files.ts'
import { createWorkRecorder, recordWork } from '../../report/work-log.ts'
import type { EmitEvent, RunEvent } from '../../run/events.ts'
import { deadlineSignal, groupJobs, runGroups } from '../../run/jobs/run-groups.ts'
import type { RunOptions, RunSummary } from '../../run/jobs/start-jobs.ts'
import type { ServiceProfile } from '../../sources/service-profile.ts'
import type { FlagsOf } from '../flags/command.ts'
import { waitingJob } from '../jobs/jobs.ts'
import { nodeOptions, promptNodeOptions, requestedJobs } from '../service-settings.ts'
import { type PipelinesOf, parsers, readSettings, type SettingFlags, type Settings } from '../settings.ts'
import { createProgress } from '../terminal/progress.ts'
import { createLogger, eventListener, type Logger } from '../terminal/run-events.ts'
import { printEnd, printOutcome } from '../terminal/run-results.ts'
import { canRedraw, exitCodeOf, untilSignal, writableFile } from '../terminal/terminal.ts'
import type { runCommand } from './export.ts'

type RunFlags = FlagsOf<typeof runCommand> & SettingFlags

/** `chainlake run`: resolves to the exit code. */
export async function runJobs(flags: RunFlags, names: readonly string[], known: PipelinesOf): Promise<number> {
  const settings = await readSettings(flags, known)
  const publication = await publicationOf(flags, settings)
  const lease = leaseOf(flags)
  const { jobs, service, services } = await requestedJobs(names, flags, settings)
  // Fails for a location that cannot hold a lake, before the first request.
  await lakeExists(settings.lake)
  const deadline = flags.deadline === undefined ? null : deadlineSignal(parsers.duration('--deadline', flags.deadline))
  const changes = createChanges()
  const work = createWorkRecorder()
  const onDone = flags['on-done'] === undefined ? null : await writableFile('--on-done', flags['on-done'])
  const metrics = await metricsOf(flags, service)
  const reportFile = flags.report === undefined ? null : await writableFile('--report', flags.report)
  const progress = canRedraw(process.stderr) ? createProgress() : undefined
  progress?.begin(jobs.map(({ name }) => name))
  const logger = createLogger(settings.logLevel, progress)
  const listener = eventListener(logger, progress)
  return untilSignal(
    async ({ signal, code }) => {
      const report = await reportOf(reportFile, settings.lake, signal, logger)
      const options = {
        ...runOptions(flags, settings, service),
        services,
        stop: AbortSignal.any([signal, ...(deadline === null ? [] : [deadline])]),
        emit: (event: RunEvent) => {
          for (const each of [changes, work, metrics, report]) each?.onEvent(event)
          listener(event)
        },
      }
      const follow = flags.follow === true
      const waiting = jobs.map((job) => waitingJob(job, settings.lake))
      const groups = groupJobs(waiting, { follow, apart: flags['all'] === true })
      let exitCode = 1
      try {
        const workers = lease === null ? null : await openWorkers(settings.lake, lease, { ...options, emit: listener })
        const outcome = await runGroups(groups, {
          run: options,
          runJobs: workers?.runJobs ?? runHere,
          hasRoom: workers !== null,
          wait: flags.wait === true,
          deadline,
          begin: (names) => progress?.begin(names),
          end: async (end) => {
            progress?.forget(end.names)
            await printEnd(end, flags.json === true, logger)
          },
        }).finally(async () => {
          await workers?.close()
          progress?.end()
        })
        const by = deadline?.aborted === true ? 'deadline' : 'signal'
        const ended = await printOutcome(outcome, {
          json: flags.json === true,
          isOnly: groups.length === 1,
          lake: settings.lake.folder,
          stoppedBy: options.stop.aborted ? by : null,
        })
        await publication?.(logger, { stop: signal, emit: listener })
        exitCode = code() ?? ended
        await recordWork(work, settings.lake, logger.warn)
        await report?.end()
      } catch (error) {
        exitCode = exitCodeOf(error)
        throw error
      } finally {
        await metrics?.end(exitCode)
        if (onDone !== null)
          await replaceFile(onDone, `${JSON.stringify(changes.report(settings.lake.folder, exitCode))}\n`)
      }
      return exitCode
    },
    (name) => {
      const what = lease === null ? 'committing finished units' : 'queued tasks stay queued'
      logger.warn(`${name}: ${what}. A second signal ends the command at once`)
    },
  ).finally(() => progress?.end())
}

/** The options that settings and flags give to every run of the command. */
function runOptions(flags: RunFlags, settings: Settings, service: ServiceProfile | null) {
  return {
    ...(flags.follow === true ? nodeOptions(settings) : promptNodeOptions(settings)),
    lake: settings.lake,
    ...definedOf({
      service: service ?? undefined,
      follow: flags.follow === true ? { maxLagMs: settings.maxLagMs } : undefined,
      dropsColumns: flags['drop-columns'] || undefined,
      compact: settings.compact || undefined,
      expireMs: settings.expireMs,
    }),
  }
}

/** The lease of tasks in seconds; null when this process does the jobs itself. */
function leaseOf(flags: RunFlags): number | null {
  if (flags.workers !== true) {
    if (flags.lease === undefined) return null
    throw new ConfigError('--lease needs --workers.', {
      code: 'config.lease',
      hint: 'Add --workers, or remove --lease.',
    })
  }
  // `compact` and `expire` of chainlake.yaml and of variables only apply to runs that do the work themselves.
  const other = namesWithoutWorkers.find((name) => flags[name] !== undefined && flags[name] !== false)
  if (other !== undefined)
    throw new ConfigError(`--${other} cannot be combined with --workers.`, {
      code: 'config.workers',
      hint: withoutWorkers[other],
    })
  const leaseSeconds = Math.round(parsers.duration('--lease', flags.lease ?? '60s') / 1000)
  if (leaseSeconds >= shortestLease) return leaseSeconds
  throw new ConfigError(`--lease must be at least ${shortestLease}s, not ${leaseSeconds}s.`, {
    code: 'config.lease',
    hint: 'Workers renew their lease several times within this time.',
  })
}

/** Flags that a run with --workers refuses, and what to do instead. */
const withoutWorkers = {
  follow: 'Start the run periodically, for example from a scheduler: it does not queue a task twice.',
  compact: 'Run chainlake compact while the workers run.',
  expire: 'Run chainlake expire while the workers run.',
  'ws-url': 'Only a run with --follow listens to new blocks: remove this flag.',
  'on-done': 'Only the workers know what changed: compare snapshots in chainlake status, or query the views.',
  'metrics-file': 'Only the workers know what was fetched and stored: remove this flag.',
  'metrics-port': 'Only the workers know what was fetched and stored: remove this flag.',
} as const
const namesWithoutWorkers = Object.keys(withoutWorkers) as (keyof typeof withoutWorkers)[]

/** Opens the queue that all runs of the command share, and gives what does their jobs. Loaded only for workers. */
async function openWorkers(lake: LakeLocation, leaseSeconds: number, options: { stop: AbortSignal; emit: EmitEvent }) {
  const session = await (await import('../../run/work/queue.ts')).openWorkSession(lake, options)
  const { runWithWorkers } = await import('../../run/work/run-with-workers.ts')
  const runJobs = (run: RunOptions) => runWithWorkers({ ...run, leaseSeconds, session })
  return { runJobs, close: () => session.close() }
}

/** Loaded only when jobs run, so that a mistake in the flags is reported at once. */
async function runHere(options: RunOptions): Promise<RunSummary> {
  return (await import('../../run/jobs/run-pipelines.ts')).runPipelines(options)
}

/** The shortest lease in seconds that pg-boss accepts. */
const shortestLease = 10

/** Keeps the report of `--report` up to date; null without the flag. */
async function reportOf(file: string | null, lake: LakeLocation, stop: AbortSignal, logger: Logger) {
  if (file === null) return null
  const { keepReport, writeReport } = await import('./write-report.ts')
  return keepReport({
    // A run that failed before it created the lake writes no report.
    write: async (limit) => {
      if (await lakeExists(lake)) await writeReport(lake, file, limit)
    },
    stop,
    failed: (error) =>
      logger.warn(`The report could not be updated: ${error instanceof Error ? error.message : error}`),
  })
}

/** Keeps the metrics of `--metrics-file` and `--metrics-port`; null without these flags. */
async function metricsOf(flags: RunFlags, service: ServiceProfile | null) {
  const { 'metrics-file': file, 'metrics-port': port } = flags
  if (file === undefined && port === undefined) return null
  const { keepMetrics, parseMetricsAddress } = await import('./keep-metrics.ts')
  return keepMetrics({
    file: file === undefined ? null : await writableFile('--metrics-file', file),
    address: port === undefined ? null : parseMetricsAddress('--metrics-port', port),
    unitsPerDay: service?.unitsPerDay ?? {},
  })
}

/** How the run is published at its end; null: it is not. Throws `ConfigError`. */
async function publicationOf(flags: RunFlags, { lake }: Settings) {
  if (flags.publish === undefined && flags['publish-to'] === undefined) return null
  return (await import('./publish-lake.ts')).publicationAtEnd(flags, lake)
}

/** What a run changed in the lake, for downstream jobs. */
type ChangeReport = {
  /** The name of this format; another format gets another name. */
  readonly schema: 'chainlake.changes.v1'
  readonly lake: string
  readonly endedAt: string
  /** The exit code of the command. The listed changes are committed even when it is not 0. */
  readonly exitCode: number
  /** The last committed snapshot; null: nothing changed. */
  readonly snapshot: number | null
  readonly tables: readonly TableChange[]
}

type TableChange = {
  readonly table: string
  readonly rows: number
  readonly files: number
  readonly bytes: number
  /** Partitions of the table with new rows, such as `network=mainnet/month=2026-11`. */
  readonly partitions: readonly { readonly partition: string; readonly rows: number }[]
}

type Counted = { rows: number; files: number; bytes: number; readonly partitions: Map<string, number> }

/** Sums the commits of runs, including commits before a failure. */
function createChanges() {
  const tables = new Map<string, Counted>()
  let snapshot: number | null = null
  return {
    onEvent: (event: RunEvent): void => {
      if (event.kind !== 'stored') return
      snapshot = event.snapshotId
      for (const { table, path, rows, bytes } of event.parts) {
        const counted = getOrCreate(tables, table, () => ({ rows: 0, files: 0, bytes: 0, partitions: new Map() }))
        counted.rows += rows
        counted.files += 1
        counted.bytes += bytes
        const partition = partitionOf(path)
        counted.partitions.set(partition, (counted.partitions.get(partition) ?? 0) + rows)
      }
    },
    report: (lake: string, exitCode: number): ChangeReport => ({
      schema: 'chainlake.changes.v1',
      lake,
      endedAt: new Date().toISOString(),
      exitCode,
      snapshot,
      tables: [...tables].sort().map(([table, { partitions, ...counts }]) => ({
        table,
        ...counts,
        partitions: [...partitions].sort().map(([partition, rows]) => ({ partition, rows })),
      })),
    }),
  }
}

/** `network=mainnet/month=2026-11` of `data/p_blocks/network=mainnet/month=2026-11/000.parquet`. */
function partitionOf(path: string): string {
  return dirname(path).split('/').slice(2).join('/')
}
