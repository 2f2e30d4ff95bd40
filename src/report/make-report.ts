import { basename, resolve } from 'node:path'
import type { LakeStatus, Measure } from '../catalog/catalog.ts'
import { lakeExists } from '../catalog/lake/lake-paths.ts'
import type { LakeLocation } from '../catalog/place/lake-location.ts'
import { ConfigError } from '../errors.ts'
import { packageVersion } from '../lib/files/package-version.ts'
import { sqlText } from '../lib/text/sql-quote.ts'
import { shellText } from '../lib/text/visible-text.ts'
import { lakeStatus } from '../run/status/lake-status.ts'
import { lakeMeasures } from '../run/status/last-measure.ts'
import { type Coverage, coverageOf } from './coverage.ts'
import { readLastVerify } from './data/last-verify.ts'
import type { PageAnswer, PageCell, PageData, PageSection } from './data/page-data.ts'
import { type LakeReading, preparationSql, readLake } from './data/read-lake.ts'
import { workLogPath } from './data/work-log.ts'
import { factsOf, type Glance, problemsOf, verdictsOf } from './glance.ts'
import { pageHtml, readPageParts } from './page-html.ts'
import { chainGroups, efforts, growth, newest, totals, work } from './questions/index.ts'
import { type Asking, type Grain, grainFor, type Question, type QuestionGroup } from './questions/question.ts'

type ReportOptions = {
  readonly lake: LakeLocation
  /** Milliseconds since 1970. The page shows ages relative to this time. */
  readonly nowMs: number
  /** Ends the work when it is aborted; `makeReport` then throws its reason. */
  readonly stop?: AbortSignal | undefined
}

/**
 * A page about a lake, as self-contained HTML: what the lake covers, how it grew, the work that this took, and what it says about the
 * chains. The page shows aggregates only, so its size does not grow with the lake. Runs may continue at the same time.
 *
 * @throws StorageError when views or catalog cannot be read; ConfigError when the folder cannot be a lake.
 */
export async function makeReport(options: ReportOptions): Promise<string> {
  return pageHtml(await reportData(options), await readPageParts())
}

/** The data that the page shows. */
export async function reportData({ lake, nowMs, stop }: ReportOptions): Promise<PageData> {
  const folder = resolve(lake.folder)
  const status: LakeStatus | null = (await lakeExists(lake)) ? await lakeStatus(lake) : null
  const measures: readonly Measure[] = await lakeMeasures(lake)
  const common = {
    name: basename(folder) || folder,
    lake: folder,
    version: packageVersion(),
    madeMs: nowMs,
    preparation: preparationSql(lake),
  }
  const coverage = coverageOf(status ?? { snapshotId: 0, streams: [] }, folder, measures)
  if (status === null || coverage.count === 0)
    return {
      ...common,
      snapshot: null,
      verdicts: [],
      problems: [],
      facts: [],
      ...noCoverage,
      sections: [],
      beginning: beginning(folder),
    }
  const networks = [...new Set(status.streams.map(({ network }) => network))].sort()
  const answers = await askLake(lake, networks, { nowMs, stop })
  const glance: Glance = {
    nowMs,
    status,
    coverage,
    totals: answers.totals,
    newest: answers.newest,
    verify: await readLastVerify(folder),
  }
  return {
    ...common,
    snapshot: { views: answers.snapshotId, catalog: status.snapshotId },
    verdicts: verdictsOf(glance),
    problems: problemsOf(
      glance,
      answers.sections.flatMap((section) => section.answers),
      folder,
    ),
    facts: factsOf(glance),
    streams: coverage.streams,
    gaps: coverage.gaps,
    moreGaps: coverage.moreGaps,
    sections: answers.sections,
    beginning: [],
  }
}

const noCoverage: Pick<Coverage, 'streams' | 'gaps' | 'moreGaps'> = { streams: [], gaps: [], moreGaps: 0 }

type Answers = {
  readonly snapshotId: number | null
  readonly totals: PageAnswer | undefined
  readonly newest: PageAnswer | undefined
  readonly sections: readonly PageSection[]
}

async function askLake(
  location: LakeLocation,
  networks: readonly string[],
  { nowMs, stop }: Pick<ReportOptions, 'nowMs' | 'stop'>,
): Promise<Answers> {
  return readLake(
    location,
    async (lake) => {
      const about = {}
      const numbers = await askAll(lake, [totals], { nowMs })
      const blocks = await askAll(lake, [newest], about)
      const section = (id: string, title: string, answers: readonly PageAnswer[]): PageSection[] =>
        answers.length === 0 ? [] : [{ id, title, answers }]
      const { rows: shown } = await lake.ask('SELECT snapshot_id FROM chainlake_lake')
      return {
        snapshotId: typeof shown[0]?.[0] === 'number' ? shown[0][0] : null,
        totals: numbers[0],
        newest: blocks[0],
        sections: [
          ...section('glance-numbers', 'In numbers', [...numbers, ...blocks]),
          ...section('growth', 'Growth', await askAll(lake, growth, about)),
          ...section('work', 'Work', [
            ...(await askAll(lake, efforts, { log: workLogPath(resolve(location.folder)) })),
            ...(await askAll(lake, work, about)),
          ]),
          ...(await askOfNetworks(lake, networks, chainGroups)),
        ],
      }
    },
    stop,
  )
}

/** The report shows at most this many networks. */
const mostNetworks = 12

/** Answers the questions for each network. It leaves out groups without an answer. */
async function askOfNetworks(
  lake: LakeReading,
  networks: readonly string[],
  groups: readonly QuestionGroup[],
): Promise<PageSection[]> {
  const sections: PageSection[] = []
  const shown = networks.slice(0, mostNetworks)
  for (const network of shown) {
    const [prefix, suffix] = shown.length === 1 ? ['', ''] : [`${network}: `, `-${network}`]
    for (const group of groups) {
      const answers = await askAll(lake, group.questions, { network: sqlText(network) }, suffix)
      if (answers.length > 0) sections.push({ id: `${group.id}${suffix}`, title: `${prefix}${group.title}`, answers })
    }
  }
  return sections
}

/** Answers the questions for which the lake has all tables. It leaves out answers without rows, but keeps failures. */
async function askAll<About extends object>(
  lake: LakeReading,
  questions: readonly Question<About & { readonly grain: Grain }>[],
  about: About,
  suffix = '',
): Promise<PageAnswer[]> {
  const answers: PageAnswer[] = []
  for (const question of questions) {
    if (!question.needs.every((table) => lake.filled.has(table))) continue
    const answer = await askOne(lake, question, about)
    if (answer.rows.length > 0 || answer.failure !== null) answers.push({ ...answer, id: `${answer.id}${suffix}` })
  }
  return answers
}

/** Answers one question. A failure, such as a damaged file, becomes the answer, so that the other questions are still answered. */
async function askOne<About extends object>(
  lake: LakeReading,
  { id, title, says, sql, time, columns, picture }: Question<About & { readonly grain: Grain }>,
  about: About,
): Promise<PageAnswer> {
  const common = { id, title, says, columns, picture }
  try {
    const grain = time === null ? null : await grainOf(lake, time, 'network' in about ? String(about.network) : null)
    const text = sql({ ...about, grain: grain ?? 'day' })
    const { names, rows } = await lake.ask(text)
    const wrong = columns.find(({ name }, index) => names[index] !== name)
    if (wrong !== undefined || names.length !== columns.length)
      throw new RangeError(`${id} declares other columns than its query returns: ${names.join(', ')}.`)
    return { ...common, sql: text, grain, rows, failure: null }
  } catch (error) {
    if (!(error instanceof Error) || error instanceof RangeError || isInterruption(error)) throw error
    return { ...common, sql: sql({ ...about, grain: 'day' }), grain: null, rows: [], failure: error.message }
  }
}

function isInterruption(error: Error): boolean {
  return error instanceof ConfigError && error.message.startsWith('INTERRUPT')
}

async function grainOf(
  lake: LakeReading,
  { from, column }: NonNullable<Question<Asking>['time']>,
  network: string | null,
): Promise<Grain> {
  const { rows } = await lake.ask(
    `SELECT epoch_ms(max(${column})) - epoch_ms(min(${column})) FROM ${from}${network === null ? '' : ` WHERE network = ${network}`}`,
  )
  const length: PageCell = rows[0]?.[0] ?? 0
  return grainFor(Number(length))
}

/** The first steps that the page of a lake without data shows. */
function beginning(lakeDir: string): PageData['beginning'] {
  const lake = `--lake ${shellText(lakeDir)}`
  return [
    { says: 'Look at a simulated network first, with every kind of table:', command: `chainlake demo ${lake}` },
    {
      says: 'With a node that runs with --index-enabled, see what a run would meet, and export its P chain:',
      command: `chainlake doctor p-blocks --node-url http://127.0.0.1:9650 ${lake}\nchainlake run p-blocks --node-url http://127.0.0.1:9650 ${lake}`,
    },
    { says: 'For more than one job, write a configuration with every key explained:', command: 'chainlake init' },
    {
      says: 'Then make this page again, or have each run renew it:',
      command: `chainlake report ${lake}\nchainlake run --all --report report.html ${lake}`,
    },
  ]
}
