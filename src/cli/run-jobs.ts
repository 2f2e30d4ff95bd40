import { pipelines } from '../../pipelines/index.ts'
import { lakeExists } from '../catalog/lake-folder.ts'
import type { Job } from '../run/job.ts'
import type { RunOptions, RunSummary } from '../run/run-pipelines.ts'
import { errorText, exitCodeOf } from './error-text.ts'
import { type JobFlags, jobsOf } from './jobs.ts'
import { createLogger, type Logger } from './logger.ts'
import { nodeOptions } from './node-options.ts'
import { printJson, printLine } from './output.ts'
import { createProgress, type Progress } from './progress.ts'
import { eventListener } from './run-events.ts'
import { nothingFetched, summaryText } from './run-summary.ts'
import { readSettings, type SettingFlags } from './settings.ts'
import { untilSignal } from './signals.ts'

type RunFlags = SettingFlags & JobFlags & { readonly follow?: boolean | undefined; readonly json?: boolean | undefined }

/** `chainlake run`: resolves to the exit code. */
export async function runJobs(names: readonly string[], flags: RunFlags): Promise<number> {
  const settings = await readSettings(flags)
  const jobs = jobsOf(names, flags, settings, pipelines)
  // A place that cannot hold a lake is said before the node is asked.
  await lakeExists(settings.lake)
  const terminal = process.stderr.isTTY === true
  const progress = terminal ? createProgress() : undefined
  const logger = createLogger({ level: settings.logLevel, terminal, ...(progress === undefined ? {} : { progress }) })
  return untilSignal(
    async ({ signal, code }) => {
      const options: Omit<RunOptions, 'jobs'> = {
        ...nodeOptions(settings),
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

/** With --all each job is run on its own, so that one that fails does not end the others; followed ones go together. */
function groupsOf(jobs: readonly Job[], flags: RunFlags): Job[][] {
  return flags.all === true && flags.follow !== true ? jobs.map((job) => [job]) : [[...jobs]]
}

/** Runs the groups one after another; resolves to 0 or the exit code of the first failure. */
async function runEach(
  groups: readonly Job[][],
  options: Omit<RunOptions, 'jobs'>,
  flags: RunFlags,
  logger: Logger,
  progress: Progress | undefined,
): Promise<number> {
  // Loaded only now, so that a mistake in the flags is told at once.
  const { runPipelines } = await import('../run/run-pipelines.ts')
  const summaries: RunSummary[] = []
  let failure = 0
  for (const jobs of groups) {
    if (options.stop.aborted) break
    try {
      summaries.push(await runPipelines({ ...options, jobs }))
    } catch (error) {
      progress?.end()
      if (options.stop.aborted && error === options.stop.reason) break
      if (groups.length === 1) throw error
      logger.error(`${jobs.map((job) => job.pipeline.name).join(', ')} failed; the other jobs go on`)
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
