import { text } from 'node:stream/consumers'
import { lakeExists } from '../../catalog/lake.ts'
import { readTextFile } from '../../config/parameter-values.ts'
import { ConfigError } from '../../errors.ts'
import { countText } from '../../lib/text.ts'
import { urlsIn } from '../../run/job.ts'
import { queueUrl } from '../../run/work/queue.ts'
import { runTask, type TaskEnd, type WorkerSummary } from '../../run/work/run-task.ts'
import { parseTask, taskKey, taskText } from '../../run/work/task.ts'
import { work } from '../../run/work/worker.ts'
import type { FlagsOf } from '../flags/command.ts'
import { jobsOf } from '../jobs/jobs.ts'
import { knownPipelines } from '../jobs/known-pipelines.ts'
import { allServiceHosts, nodeOptions, profileSettings, serviceProfile } from '../service-settings.ts'
import { itemsOf, readSettings } from '../settings.ts'
import { createLogger, eventListener } from '../terminal/run-events.ts'
import { printLine, printResult, untilSignal } from '../terminal/terminal.ts'
import type { runCommand, workerCommand } from './export.ts'

type WorkerFlags = FlagsOf<typeof workerCommand>

/** `chainlake worker`: resolves to the exit code. A signal is the normal end of a worker, with exit code 0. */
export async function runWorker(flags: WorkerFlags): Promise<number> {
  const { settings, logger, options } = await workerSettings(flags)
  const catalog = queueUrl(settings.lake)
  // Fails at once when the database does not answer. The lake itself may be created later.
  await lakeExists(settings.lake)
  await untilSignal(
    async ({ signal }) => {
      const summary = await work(catalog, {
        ...options,
        ...(flags['until-done'] === true ? { untilDone: true } : {}),
        stop: signal,
      })
      const facts = { lake: settings.lake.folder, ...summary, stopped: signal.aborted }
      await printResult(flags, facts, summaryText(summary))
    },
    (name) =>
      logger.warn(
        `${name}: committing finished slices; other workers take over the rest. A second signal ends the worker at once`,
      ),
  )
  return 0
}

/** What a process needs to do tasks of any job. */
async function workerSettings(flags: WorkerFlags) {
  const settings = await readSettings(flags, knownPipelines)
  const logger = createLogger(settings.logLevel)
  // The URLs in the jobs of chainlake.yaml, resolved as in a run.
  const jobs = Object.keys(settings.jobs).flatMap((name) => jobsOf([name], {}, settings))
  const configured = jobs.flatMap((job) => (job.kind === 'requested' ? [job.given] : []))
  const options = {
    ...nodeOptions(settings),
    service: await serviceProfile(await profileSettings(flags, settings)),
    services: allServiceHosts(settings.services),
    lake: settings.lake,
    pipelines: settings.pipelines.filter(({ module }) => module !== undefined),
    urls: [...new Set([...configured.flatMap(urlsIn), ...itemsOf(flags.urls)])],
    emit: eventListener(logger),
  }
  return { settings, logger, options }
}

/** The exit code of each end of a task; a signal has its own. */
const taskCodes: Readonly<Record<TaskEnd['is'], number>> = {
  done: 0,
  nothing: 0,
  taken: 8,
  overtaken: 7,
  postponed: 7,
  interrupted: 7,
}

/** `chainlake run --task`: does one task, and resolves to the exit code. */
export async function runOneTask(flags: FlagsOf<typeof runCommand>, names: readonly string[]): Promise<number> {
  if (names.length > 0)
    throw new ConfigError('--task cannot be combined with names of jobs.', {
      code: 'config.task',
      hint: 'The task names its job: remove the others.',
    })
  const task = parseTask(
    flags.task === '-' ? await text(process.stdin) : await readTextFile(flags.task ?? '', '--task'),
  )
  const { logger, options } = await workerSettings(flags)
  return untilSignal(
    async ({ signal, code }) => {
      const end = await runTask(task, { ...options, stop: signal })
      const { job, slice } = task
      const report = { schema: 'chainlake.task.v1', key: taskKey(task), job, slice, ...end }
      const text = `${taskText(task)}: ${end.is}, ${countText(end.rows)} rows${end.reason === null ? '' : `. ${end.reason}`}`
      await printLine(flags.json === true ? JSON.stringify(report) : text)
      return code() ?? taskCodes[end.is]
    },
    (name) => logger.warn(`${name}: committing finished slices. A second signal ends the command at once`),
  )
}

function summaryText({ done, givenBack, failed, rows }: WorkerSummary): string {
  const texts = [`${countText(done)} tasks done, ${countText(rows)} rows`]
  if (givenBack > 0) texts.push(`${countText(givenBack)} left for other workers`)
  if (failed > 0) texts.push(`${countText(failed)} failed here`)
  return `${texts.join('; ')}.`
}
