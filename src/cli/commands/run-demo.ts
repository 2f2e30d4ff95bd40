import { join, relative } from 'node:path'
import { startDevnet } from '../../../devnet/serve.ts'
import { lakeExists } from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place.ts'
import { OtherSourceError } from '../../errors.ts'
import { packageRoot } from '../../lib/package.ts'
import { countText, durationText, shellText } from '../../lib/text.ts'
import { createWorkRecorder, recordWork } from '../../report/work-log.ts'
import type { JobResult } from '../../run/events.ts'
import { isSkipped } from '../../run/jobs/run-groups.ts'
import { runPipelines } from '../../run/jobs/run-pipelines.ts'
import { lakeStatus } from '../../run/status/lake-status.ts'
import { queryLake } from '../../views/query.ts'
import { createParquetThread } from '../../write/parquet-thread.ts'
import { jobsOf, resolveJob } from '../jobs/jobs.ts'
import { knownPipelines } from '../jobs/known-pipelines.ts'
import { profileSettings, serviceProfile } from '../service-settings.ts'
import { environmentValue, readSettings, type SettingFlags } from '../settings.ts'
import { printAnswer } from '../terminal/answer.ts'
import { createProgress } from '../terminal/progress.ts'
import { createLogger, eventListener } from '../terminal/run-events.ts'
import { showGeneration } from '../terminal/status-lines.ts'
import { canRedraw, printLine, untilSignal } from '../terminal/terminal.ts'
import { demoQuestions } from './lake.ts'
import { defaultReport, writeReport } from './write-report.ts'

/** Containers by which each simulated chain grows from one demo to the next. */
const growth = 2_000
/** The largest number of containers that the simulated network generates. */
const longest = 1_000_000

/**
 * `chainlake demo`: exports a simulated network with every job of examples/devnet.yaml. Its chains are longer each time, and the jobs
 * resume where the last demo stopped.
 */
export async function runDemo(flags: SettingFlags): Promise<number> {
  const { lake, logLevel } = await readSettings(flags)
  const covered = await coveredContainers(lake)
  await printLine(
    covered === 0
      ? `Starting a simulated network; each chain has ${countText(growth)} containers.`
      : `The lake covers ${countText(covered)} containers of the P-Chain; the simulated chains have grown by ${countText(growth)}.`,
  )
  const devnet = await startDevnet({
    port: 0,
    blocks: Math.min(covered + growth, longest),
    onProgress: showGeneration(),
  })
  try {
    const progress = canRedraw(process.stderr) ? createProgress() : undefined
    const level = flags['log-level'] ?? environmentValue('log-level')
    const logger = createLogger(level === undefined ? 'error' : logLevel, progress)
    return await untilSignal(async ({ signal }) => {
      const work = createWorkRecorder()
      const listener = eventListener(logger, progress)
      const emit: typeof listener = (event) => {
        work.onEvent(event)
        listener(event)
      }
      const options = { lake, stop: signal, emit }
      await runExample(devnet.url, options, progress)
        .catch((error) => explain(error, lake.folder, signal))
        .finally(() => progress?.end())
      if (!signal.aborted) await askQuestions(lake.folder)
      if (!signal.aborted) await recordWork(work, lake, logger.warn)
      if (!signal.aborted) await showReport(lake, signal)
    })
  } finally {
    await devnet.close()
  }
}

/** Runs the jobs of examples/devnet.yaml one after another and prints a line for each. */
async function runExample(
  url: string,
  options: Pick<Parameters<typeof runPipelines>[0], 'lake' | 'stop' | 'emit'>,
  progress: ReturnType<typeof createProgress> | undefined,
): Promise<void> {
  process.env['DEVNET_URL'] = url
  const config = join(packageRoot(), 'examples/devnet.yaml')
  const settings = await readSettings({ config, lake: options.lake.folder }, knownPipelines)
  const service = await serviceProfile(await profileSettings({}, settings))
  await printLine(
    `\n$ DEVNET_URL=${url} chainlake run --all --config ${shellText(near(config))} --lake ${shellText(near(options.lake.folder))}`,
  )
  const thread = createParquetThread()
  try {
    for (const request of jobsOf([], { all: true }, settings)) {
      if (options.stop.aborted) return
      const job = await resolveJob(request, options.lake, options.stop)
      if (isSkipped(job)) continue
      const { jobs } = await runPipelines({ ...options, nodeUrl: url, service, thread, jobs: [job] })
      progress?.forget([request.name])
      for (const result of jobs) await printLine(jobLine(request.name, result))
    }
  } finally {
    await thread.close()
  }
}

function jobLine(name: string, { tables, seconds }: JobResult): string {
  const filled = tables.filter(({ rows }) => rows > 0)
  const rows = filled.reduce((sum, table) => sum + table.rows, 0)
  const what = filled.map((table) => table.name).join(', ')
  const text =
    rows === 0
      ? 'nothing new'
      : `${countText(rows).padStart(7)} ${rows === 1 ? 'row' : 'rows'} in ${durationText(seconds)}: ${what}`
  return `  ${name.padEnd(22)} ${text}`
}

function near(path: string): string {
  const shown = relative('.', path)
  return shown === '' || shown.startsWith('..') ? path : shown
}

/** The end of the last demo: how many containers of the simulated P-Chain the lake covers. */
async function coveredContainers(lake: LakeLocation): Promise<number> {
  if (!(await lakeExists(lake))) return 0
  const { streams } = await lakeStatus(lake)
  const slices = streams
    .filter(({ stream }) => stream === 'local/P/block')
    .flatMap(({ tables }) => tables.flatMap((table) => table.slices))
  return Math.max(0, ...slices.map(({ to }) => to - 1))
}

/** A signal ends the demo without an error. A lake with another network of the same name gets an error with its own hint. */
function explain(error: unknown, lake: string, signal: AbortSignal): void {
  if (signal.aborted && error === signal.reason) return
  if (!(error instanceof OtherSourceError)) throw error
  throw new OtherSourceError('The lake holds a different simulated network than the demo exports.', {
    details: { lake },
    hint: 'Use a new folder: chainlake demo --lake ./demo-lake',
    cause: error,
  })
}

async function askQuestions(lakeDir: string): Promise<void> {
  for (const { ask, sql } of demoQuestions) {
    await printLine(`\n${ask}\n$ chainlake sql "${sql}"`)
    await printAnswer(await queryLake(lakeDir, sql), 'table')
  }
  await printLine(`
Next steps:
  npx chainlake sql                      open a prompt on the views
  npx chainlake tables                   list tables and views; describe NAME shows their columns
  npx chainlake run p-blocks --node-url http://127.0.0.1:9650 --lake ./lake
                                         export from your own Avalanche node (with --index-enabled)
  npx chainlake describe rest-utxos      show a pipeline of the REST service and its parameters
  npx chainlake demo                     run the demo again: it resumes where this one stopped`)
}

async function showReport(lake: LakeLocation, signal: AbortSignal): Promise<void> {
  const file = defaultReport(lake.folder)
  await writeReport(lake, file, signal)
  await printLine(`\nReport about the lake, open it in a browser: ${file}`)
}
