import { relative } from 'node:path'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { lakeExists } from '../catalog/catalog.ts'
import { startDevnet } from '../devnet/serve.ts'
import { OtherSourceError } from '../errors.ts'
import { lakeStatus } from '../run/lake-status.ts'
import { runPipelines } from '../run/run-pipelines.ts'
import { queryLake } from '../views/query.ts'
import { printAnswer } from './answer.ts'
import { environmentValue } from './environment.ts'
import { formatCount } from './format.ts'
import { createLogger } from './logger.ts'
import { printLine } from './output.ts'
import { createProgress } from './progress.ts'
import { eventListener } from './run-events.ts'
import { summaryText } from './run-summary.ts'
import { readSettings, type SettingFlags } from './settings.ts'
import { showGeneration } from './show-generation.ts'
import { untilSignal } from './signals.ts'

/** By how many containers the simulated chain has grown when a demo runs again. */
const growth = 5_000
/** More containers than these the simulated network does not make. */
const longest = 1_000_000

const questions = [
  {
    ask: 'Which kinds of transactions are there, and how many of each?',
    sql: `select tx_type, count(*) as transactions, sum(burned) / 1e9 as burned_avax
from p_transactions where network = 'NETWORK'
group by tx_type order by transactions desc limit 8`,
  },
  {
    ask: 'Who delegated most?',
    sql: `select node_id, count(*) as delegations, sum(weight) / 1e9 as avax
from p_validations where network = 'NETWORK' and action = 'delegate'
group by node_id order by avax desc limit 5`,
  },
] as const

/** `chainlake demo`: exports a simulated network; each time the chain is longer, and the run goes on where it stopped. */
export async function runDemo(flags: SettingFlags): Promise<number> {
  const { lake, logLevel } = await readSettings(flags)
  const covered = await coveredContainers(lake)
  await printLine(
    covered === 0
      ? `A simulated network starts, with a P chain of ${formatCount(growth)} containers.`
      : `The lake covers ${formatCount(covered)} containers; the simulated chain has grown by ${formatCount(growth)}.`,
  )
  const near = relative('.', lake)
  const shown = near === '' || near.startsWith('..') ? lake : near
  const devnet = await startDevnet({ port: 0, blocks: Math.min(covered + growth, longest), onProgress: showGeneration })
  try {
    const progress = process.stderr.isTTY ? createProgress() : undefined
    const logger = createLogger({
      level: isAsked(flags) ? logLevel : 'warn',
      terminal: process.stderr.isTTY === true,
      ...(progress && { progress }),
    })
    return await untilSignal(async ({ signal, code }) => {
      await printLine(`\n$ chainlake run p-blocks --node-url ${devnet.url} --lake ${shown}`)
      const summary = await runPipelines({
        nodeUrl: devnet.url,
        lakeDir: lake,
        jobs: [{ pipeline: pBlocksPipeline, options: [] }],
        stop: signal,
        emit: eventListener(logger, progress),
      })
        .catch((error) => explain(error, lake, signal))
        .finally(() => progress?.end())
      if (summary !== null) await printLine(summaryText(summary, lake))
      if (summary !== null && !signal.aborted) await askQuestions(lake, summary.network)
      return code() ?? 0
    })
  } finally {
    await devnet.close()
  }
}

function isAsked(flags: SettingFlags): boolean {
  return (flags['log-level'] ?? environmentValue('log-level')) !== undefined
}

/** Where the last demo stopped: the end of what is covered of the simulated network. */
async function coveredContainers(lakeDir: string): Promise<number> {
  if (!(await lakeExists(lakeDir))) return 0
  const { streams } = await lakeStatus(lakeDir)
  const slices = streams
    .filter(({ network }) => network === 'local')
    .flatMap(({ tables }) => tables.flatMap((table) => table.slices))
  return Math.max(0, ...slices.map(({ to }) => to))
}

/** Null for a run that a signal ended early; a lake with another network of the same name needs a word of its own. */
function explain(error: unknown, lake: string, signal: AbortSignal): null {
  if (signal.aborted && error === signal.reason) return null
  if (!(error instanceof OtherSourceError)) throw error
  throw new OtherSourceError('The lake holds another simulated network than the one that the demo exports.', {
    details: { lake },
    hint: 'Give the demo a new folder: chainlake demo --lake ./demo-lake',
    cause: error,
  })
}

async function askQuestions(lake: string, network: string): Promise<void> {
  for (const { ask, sql } of questions) {
    const query = sql.replace('NETWORK', network)
    await printLine(`\n${ask}\n$ chainlake sql "${query}"`)
    await printAnswer(await queryLake(lake, query), 'table')
  }
  await printLine(`
How to go on:
  npx chainlake sql                      a prompt on the views
  npx chainlake tables                   what there is; describe TABLE shows columns
  npx chainlake run p-blocks --node-url http://127.0.0.1:9650 --lake ./lake
                                         the same with a real node that runs with --index-enabled
  npx chainlake demo                     once more: it goes on where this one stopped`)
}
