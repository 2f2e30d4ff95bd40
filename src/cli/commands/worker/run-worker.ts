import { lakeExists } from '../../../catalog/lake/lake-paths.ts'
import { countText } from '../../../lib/text/count-text.ts'
import { urlsIn } from '../../../run/units/hidden-urls.ts'
import { queueUrl } from '../../../run/work/queue-url.ts'
import { work } from '../../../run/work/worker.ts'
import type { WorkerSummary } from '../../../run/work/worker-options.ts'
import { jobsOf } from '../../jobs/jobs.ts'
import { knownPipelines } from '../../jobs/known-pipelines.ts'
import { allServiceHosts } from '../../settings/host-settings.ts'
import { nodeOptions } from '../../settings/node-options.ts'
import { profileSettings, serviceProfile } from '../../settings/service-settings.ts'
import { readSettings, type Settings } from '../../settings/settings.ts'
import type { SettingFlags } from '../../settings/typed-value.ts'
import { createLogger } from '../../terminal/logger.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { eventListener } from '../../terminal/run-events.ts'
import { untilSignal } from '../../terminal/signals.ts'

type WorkerFlags = SettingFlags & {
  readonly urls?: string | undefined
  readonly 'until-done'?: boolean | undefined
  readonly json?: boolean | undefined
}

/** `chainlake worker`: resolves to the exit code. A signal is the normal end of a worker, with exit code 0. */
export async function runWorker(flags: WorkerFlags): Promise<number> {
  const settings = await readSettings(flags, knownPipelines)
  const service = await serviceProfile(await profileSettings(flags, settings))
  const logger = createLogger({ level: settings.logLevel, terminal: process.stderr.isTTY === true })
  const catalog = queueUrl(settings.lake)
  // Fails at once when the database does not answer. The lake itself may be created later.
  await lakeExists(settings.lake)
  return untilSignal(
    async ({ signal }) => {
      const summary = await work(catalog, {
        ...nodeOptions(settings),
        service,
        services: allServiceHosts(settings.services),
        lake: settings.lake,
        pipelines: settings.pipelines.filter(({ module }) => module !== undefined),
        urls: [...new Set([...configuredUrls(settings), ...(flags.urls?.split(',') ?? []).map((url) => url.trim())])],
        ...(flags['until-done'] === true ? { untilDone: true } : {}),
        stop: signal,
        emit: eventListener(logger, undefined),
      })
      if (flags.json === true) await printJson({ lake: settings.lake.folder, ...summary, stopped: signal.aborted })
      else await printLine(summaryText(summary))
      return 0
    },
    (name) =>
      logger.warn(
        `${name}: committing finished slices; other workers take over the rest. A second signal ends the worker at once`,
      ),
  )
}

/** The URLs in the jobs of chainlake.yaml, resolved as in a run. */
function configuredUrls(settings: Settings): string[] {
  return Object.keys(settings.jobs).flatMap((name) =>
    jobsOf([name], {}, settings).flatMap((job) => (job.kind === 'requested' ? urlsIn(job.given) : [])),
  )
}

function summaryText({ done, givenBack, failed, rows }: WorkerSummary): string {
  const texts = [`${countText(done)} tasks done, ${countText(rows)} rows`]
  if (givenBack > 0) texts.push(`${countText(givenBack)} left for other workers`)
  if (failed > 0) texts.push(`${countText(failed)} failed here`)
  return `${texts.join('; ')}.`
}
