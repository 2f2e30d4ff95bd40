import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { lakeExists } from '../catalog/lake.ts'
import type { LakeLocation } from '../catalog/place.ts'
import { ConfigError } from '../errors.ts'
import { packageRoot, packageVersion } from '../lib/package.ts'
import { shellText, sqlText } from '../lib/text.ts'
import { lakeMeasures, lakeStatus } from '../run/status/lake-status.ts'
import { coverageOf } from './coverage.ts'
import { dayMs, factsOf, newestTimes, problemsOf, verdictsOf } from './glance.ts'
import { type LakeReading, type PageAnswer, preparationSql, readLake, readLastVerify } from './page-data.ts'
import { type Asking, grainFor, type Question, shownColumn, sqlOf } from './question.ts'
import { chainGroups, efforts, growth, newest, totals, work } from './questions.ts'
import { workLogPath } from './work-log.ts'

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

export type PageData = Awaited<ReturnType<typeof reportData>>

/** The data that the page shows. */
export async function reportData({ lake, nowMs, stop }: ReportOptions) {
  const folder = resolve(lake.folder)
  const status = (await lakeExists(lake)) ? await lakeStatus(lake) : null
  const measures = await lakeMeasures(lake)
  const coverage = coverageOf(status ?? { snapshotId: 0, streams: [] }, folder, measures)
  const { streams, gaps, moreGaps } = coverage
  const common = {
    name: basename(folder) || folder,
    lake: folder,
    version: packageVersion(),
    madeMs: nowMs,
    preparation: preparationSql(lake),
    streams,
    gaps,
    moreGaps,
  }
  if (status === null || coverage.count === 0)
    return {
      ...common,
      snapshot: null,
      verdicts: [],
      problems: [],
      facts: [],
      sections: [],
      beginning: beginning(folder),
    }
  const networks = [...new Set(status.streams.map(({ network }) => network))].sort()
  const answers = await askLake(lake, networks, { nowMs, stop })
  const glance = { nowMs, status, coverage, ...answers, verify: await readLastVerify(folder) }
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
    sections: answers.sections,
    beginning: [],
  }
}

type Section = { readonly id: string; readonly title: string; readonly answers: readonly PageAnswer[] }

async function askLake(
  location: LakeLocation,
  networks: readonly string[],
  { nowMs, stop }: Pick<ReportOptions, 'nowMs' | 'stop'>,
) {
  return readLake(
    location,
    async (lake) => {
      const log = workLogPath(resolve(location.folder))
      const about = { network: '', since: '', nowMs, log }
      const [numbers, blocks] = [await askAll(lake, [totals], about), await askAll(lake, [newest], about)]
      const section = (id: string, title: string, answers: readonly PageAnswer[]): Section[] =>
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
            ...(existsSync(log) ? await askAll(lake, efforts, about) : []),
            ...(await askAll(lake, work, about)),
          ]),
          ...(await askOfNetworks(lake, networks, (network) => ({
            ...about,
            network: sqlText(network),
            since: sinceOf(network, blocks[0], nowMs),
          }))),
        ],
      }
    },
    stop,
  )
}

/** The report shows at most this many networks. */
const mostNetworks = 12

/**
 * The day 90 days before the newest block of a network, as an SQL date: a constant, so that the condition reaches the files. Another
 * network of the lake may be years ahead.
 */
export function sinceOf(network: string, newest: PageAnswer | undefined, nowMs: number): string {
  // A chain with wrong times must not hide the days of the others.
  const timesMs = newestTimes(newest, network).filter((timeMs) => timeMs <= nowMs + dayMs)
  const newestMs = timesMs.length === 0 ? nowMs : Math.max(...timesMs)
  return `DATE '${new Date(newestMs - 90 * dayMs).toISOString().slice(0, 10)}'`
}

/** Answers the questions for each network. It leaves out groups without an answer. */
async function askOfNetworks(
  lake: LakeReading,
  networks: readonly string[],
  about: (network: string) => Omit<Asking, 'grain'>,
): Promise<Section[]> {
  const sections: Section[] = []
  const shown = networks.slice(0, mostNetworks)
  for (const network of shown) {
    const [prefix, suffix] = shown.length === 1 ? ['', ''] : [`${network}: `, `-${network}`]
    for (const group of chainGroups) {
      const answers = await askAll(lake, group.questions, about(network), suffix)
      if (answers.length > 0) sections.push({ id: `${group.id}${suffix}`, title: `${prefix}${group.title}`, answers })
    }
  }
  return sections
}

/** Answers the questions for which the lake has all tables. It leaves out answers without rows, but keeps failures. */
async function askAll(
  lake: LakeReading,
  questions: readonly Question[],
  about: Omit<Asking, 'grain'>,
  suffix = '',
): Promise<PageAnswer[]> {
  const answers: PageAnswer[] = []
  for (const question of questions) {
    if (!lake.canAnswer(sqlOf(question, { ...about, grain: 'day' }))) continue
    const answer = await askOne(lake, question, about)
    if (answer.rows.length > 0 || answer.failure !== null) answers.push({ ...answer, id: `${answer.id}${suffix}` })
  }
  return answers
}

/** Answers one question. A failure, such as a damaged file, becomes the answer, so that the other questions are still answered. */
async function askOne(lake: LakeReading, question: Question, about: Omit<Asking, 'grain'>): Promise<PageAnswer> {
  const { id, title, says, time, picture = { kind: 'list' } } = question
  const common = { id, title, says, picture }
  try {
    const grain = time === undefined ? null : await grainOf(lake, time, about.network)
    const sql = sqlOf(question, { ...about, grain: grain ?? 'day' })
    const { columns, rows } = await lake.ask(sql)
    const shown = columns.map(({ name, type }) => shownColumn(name, type, question))
    return { ...common, sql, grain, columns: shown, rows, failure: null }
  } catch (error) {
    if (!(error instanceof Error) || error instanceof RangeError || isInterruption(error)) throw error
    const sql = sqlOf(question, { ...about, grain: 'day' })
    return { ...common, sql, grain: null, columns: [], rows: [], failure: error.message }
  }
}

function isInterruption(error: Error): boolean {
  return error instanceof ConfigError && error.message.startsWith('INTERRUPT')
}

async function grainOf(lake: LakeReading, { from, column }: NonNullable<Question['time']>, network: string) {
  const { rows } = await lake.ask(
    `SELECT epoch_ms(max(${column})) - epoch_ms(min(${column})) FROM ${from}${network === '' ? '' : ` WHERE network = ${network}`}`,
  )
  return grainFor(Number(rows[0]?.[0] ?? 0))
}

/** The first steps that the page of a lake without data shows. */
function beginning(lakeDir: string) {
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

/** The parts of the page that the build creates: its script, bundled with its libraries, its style, and the licences of those libraries. */
type PageParts = { readonly script: string; readonly style: string; readonly licences: string }

export async function readPageParts(): Promise<PageParts> {
  const read = (name: string): Promise<string> => readFile(join(packageRoot(), 'dist/report', name), 'utf8')
  const [script, style, licences] = await Promise.all([read('page.js'), read('page.css'), read('licences.txt')])
  return { script, style, licences }
}

/** The whole page: the data as JSON that browsers do not run, and one script and one style that its policy names by their hashes. */
export function pageHtml(data: PageData, { script, style, licences }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src '${integrityOf(script)}'`,
    `style-src '${integrityOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>A lake of chainlake</title>
<style>${style}</style>
</head>
<body>
<noscript><p class="noscript">This page draws itself with a script that it brings along, and scripts are switched off. The same numbers: <code>chainlake status</code> and <code>chainlake sql</code>.</p></noscript>
<div id="page"></div>
<script type="application/json" id="data">${embeddedJson(data)}</script>
<script type="text/plain" id="licences">${embeddedText(licences)}</script>
<script type="module">${script}</script>
</body>
</html>
`
}

/** The hash by which a content security policy names the content of an element. */
function integrityOf(content: string): string {
  return `sha256-${hash('sha256', content, 'base64')}`
}

/** JSON that cannot end an element or begin a comment. It stays on one line for a program that reads it as JavaScript. */
export function embeddedJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Text of chainlake itself: no `<` in it begins an element. */
function embeddedText(text: string): string {
  return text.replace(/</g, '(')
}
