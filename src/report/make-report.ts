import { basename, resolve } from 'node:path'
import type { LakeStatus, Measure } from '../catalog/catalog.ts'
import { lakeExists } from '../catalog/lake/lake-paths.ts'
import type { LakeLocation } from '../catalog/place/lake-location.ts'
import { packageVersion } from '../lib/files/package-version.ts'
import { lakeStatus } from '../run/status/lake-status.ts'
import { lakeMeasures } from '../run/status/last-measure.ts'
import { askAll, askOfNetworks } from './ask-questions.ts'
import { beginning } from './beginning.ts'
import { type Coverage, coverageOf } from './coverage.ts'
import { readLastVerify } from './data/last-verify.ts'
import type { PageAnswer, PageData, PageSection } from './data/page-data.ts'
import { preparationSql, readLake } from './data/read-lake.ts'
import { workLogPath } from './data/work-log.ts'
import { factsOf, type Glance, verdictsOf } from './glance.ts'
import { pageHtml, readPageParts } from './page-html.ts'
import { problemsOf } from './problems.ts'
import { chainGroups, efforts, growth, newest, totals, work } from './questions/index.ts'

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
