import { pipelines } from '../../pipelines/index.ts'
import { lakeExists } from '../catalog/lake-folder.ts'
import type { RunOptions, RunSummary } from '../run/run-pipelines.ts'
import { type ServiceProfile, serviceSettings } from '../sources/service-profile.ts'
import { checkJobs } from './check-jobs.ts'
import { errorText, exitCodeOf } from './error-text.ts'
import { jobsOf } from './jobs.ts'
import { createLogger, type Logger } from './logger.ts'
import { nodeOptions } from './node-options.ts'
import { printJson, printLine } from './output.ts'
import { createProgress, type Progress } from './progress.ts'
import { asksLake, type JobRequest, resolveJob } from './resolve-job.ts'
import { eventListener } from './run-events.ts'
import { nothingFetched, summaryText } from './run-summary.ts'
import { profileSettings, serviceProfile } from './service-settings.ts'
import { readSettings, type SettingFlags, type Settings } from './settings.ts'
import { untilSignal } from './signals.ts'

type RunFlags = SettingFlags & { readonly follow?: boolean | undefined; readonly json?: boolean | undefined }

/** `chainlake run`: resolves to the exit code. */
export async function runJobs(names: readonly string[], flags: RunFlags): Promise<number> {
  const settings = await readSettings(flags)
  const jobs = jobsOf(names, flags, settings, pipelines)
  const service = await serviceOf(jobs, flags, settings)
  // A place that cannot hold a lake is said before the node is asked.
  await lakeExists(settings.lake)
  const terminal = process.stderr.isTTY === true
  const progress = terminal ? createProgress() : undefined
  const logger = createLogger({ level: settings.logLevel, terminal, ...(progress === undefined ? {} : { progress }) })
  return untilSignal(
    async ({ signal, code }) => {
      const options: Omit<RunOptions, 'jobs'> = {
        ...nodeOptions(settings),
        ...(service === null ? {} : { service }),
        lakeDir: settings.lake,
        ...(flags.follow === true ? { follow: { maxLagMs: settings.maxLagMs } } : {}),
        stop: signal,
        emit: eventListener(logger, progress),
      }
      const failure = await runEach(groupsOf(jobs, flags), options, flags, logger, progress)
      return code() ?? failure
    },
    (name) => logger.warn(`${name}: committing what is there; a second one ends at once`),
  )
}

/** What --json prints of a run that a signal ended before the lake was opened. */
const stoppedEarly = { runId: null, network: null, jobs: [], stopped: true }

/** The service that the jobs ask, their rules checked; null when none of them asks one. */
async function serviceOf(
  jobs: readonly JobRequest[],
  flags: RunFlags,
  settings: Settings,
): Promise<ServiceProfile | null> {
  if (!jobs.some((job) => job.kind === 'service')) return null
  const profile = await serviceProfile(await profileSettings(flags, settings))
  await checkJobs(jobs, serviceSettings(profile), settings.lake)
  return profile
}

/**
 * Jobs that are run together. With --all each is run on its own, so that one that fails does not end the others; so are jobs when
 * a later one reads its list from the lake, which those before it fill. Followed ones go together.
 */
function groupsOf(jobs: readonly JobRequest[], flags: RunFlags): JobRequest[][] {
  const apart = flags['all'] === true || jobs.slice(1).some(asksLake)
  return apart && flags.follow !== true ? jobs.map((job) => [job]) : [[...jobs]]
}

/** Runs the groups one after another; resolves to 0 or the exit code of the first failure. */
async function runEach(
  groups: readonly JobRequest[][],
  options: Omit<RunOptions, 'jobs'>,
  flags: RunFlags,
  logger: Logger,
  progress: Progress | undefined,
): Promise<number> {
  // Loaded only now, so that a mistake in the flags is told at once.
  const { runPipelines } = await import('../run/run-pipelines.ts')
  const summaries: RunSummary[] = []
  let failure = 0
  for (const group of groups) {
    if (options.stop.aborted) break
    try {
      const jobs = await Promise.all(group.map((job) => resolveJob(job, options.lakeDir)))
      summaries.push(await runPipelines({ ...options, jobs }))
    } catch (error) {
      progress?.end()
      if (options.stop.aborted && error === options.stop.reason) break
      if (groups.length === 1) throw error
      logger.error(`${group.map((job) => job.name).join(', ')} failed; the other jobs go on`)
      process.stderr.write(`${errorText(error)}\n`)
      failure ||= exitCodeOf(error)
    }
  }
  progress?.end()
  if (flags.json === true) await printJson(groups.length === 1 ? (summaries[0] ?? stoppedEarly) : summaries)
  else if (summaries.length === 0 && options.stop.aborted) await printLine(nothingFetched)
  else for (const summary of summaries) await printLine(summaryText(summary, options.lakeDir))
  return failure
}
