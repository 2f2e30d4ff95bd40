import { hash } from 'node:crypto'
import type { Catalog } from '../../catalog/catalog.ts'
import type { StreamDeclaration, Table } from '../../define/index.ts'
import { ChainlakeError, HttpError, PostponedError, RateLimitError } from '../../errors.ts'
import { countText } from '../../lib/text/count-text.ts'
import { streamId } from '../../model.ts'
import { type Asker, createAsker } from '../../run/connections/ask.ts'
import { type ConnectionOptions, type Connections, createConnections } from '../../run/connections/connections.ts'
import type { Finding, Remark, Unverifiable } from '../lake/finding.ts'
import type { Checked, LakeRows } from '../lake/lake-rows.ts'
import { somePages } from './list-pages.ts'
import { type Answered, answeredRows, comparedTables, compareTable, knownOf } from './list-rows.ts'
import { type KnownLists, listStreams } from './list-streams.ts'
import { mostFindings, type SampleOptions } from './node-sample.ts'
import { statesOfTables } from './state-subjects.ts'

/** Which lists to compare, and how many rows of each. */
export type ComparedLists = Pick<KnownLists, 'pipelines'> & {
  readonly sample: number
  /** The jobs of chainlake.yaml that read such lists. */
  readonly jobs: (stop: AbortSignal) => Promise<KnownLists['jobs']>
}

/** How to connect to a REST service, and which of its lists to compare. */
export type ComparedService = Omit<ConnectionOptions, 'stop' | 'emit'> &
  Partial<Pick<ConnectionOptions, 'emit'>> &
  ComparedLists & {
    /** The most requests of a verification, without retries. Default: 500. */
    readonly most?: number
  }

/** Where lists come from. */
export type ListSource = 'service' | 'node'

type Lake = {
  /** The catalog that counts spent units. */
  readonly catalog: Pick<Catalog, 'units' | 'limits'>
  /** Whether the rows are all rows of the lake, so that a row can be missing. */
  readonly isWhole: boolean
}
type Asking = Pick<SampleOptions, 'stop' | 'onProgress'>

/** The most requests to a service in a verification, and for one list. */
const mostRequests = 500
const mostOfList = 10
/** How many rows are compared at once. */
const rowsAtOnce = 5_000

/** Compares the lists of a REST service; see `rereadLists`. */
export async function askService(
  rows: LakeRows,
  { catalog, isWhole }: Lake,
  { sample, most = mostRequests, jobs, pipelines, ...service }: ComparedService,
  asking: Asking,
): Promise<Checked> {
  const connections = createConnections({ emit: () => undefined, ...service, stop: asking.stop })
  const { accounts } = connections.service()
  accounts.countIn(catalog)
  try {
    const reached = { source: 'service', connections, isWhole, limits: { most, ofList: mostOfList } } as const
    return await rereadLists(rows, reached, { sample, jobs, pipelines }, asking)
  } finally {
    await accounts.settle()
    await connections.close()
  }
}

type Reached = {
  readonly source: ListSource
  readonly connections: Pick<Connections, 'facts' | 'connection' | 'service'>
  readonly isWhole: boolean
  readonly limits: Limits
}

/** The most requests of a verification, and for one list. */
type Limits = { readonly most: number; readonly ofList: number }

/**
 * Reads some pages of each list in the lake again, as a run does, and compares their rows with the lake in the columns that never change. A
 * source that fails says nothing about the lake: its lists are reported as unverifiable.
 */
export async function rereadLists(
  rows: LakeRows,
  { source, connections, isWhole, limits }: Reached,
  { sample, jobs, pipelines }: ComparedLists,
  { stop, onProgress }: Asking,
): Promise<Checked> {
  const network = source === 'node' ? (await connections.facts.node()).network : null
  const { declared, unknown } = await listStreams(
    rows,
    { pipelines, jobs: await jobs(stop) },
    connections.facts,
    (known) =>
      (network === null || known.network === network) && !known.tables.every((table) => statesAtBlocks.has(table)),
  )
  const asked = { ...limits, requests: 0 }
  const compared = declared.filter((stream) => comparedTables(rows, stream).length > 0)
  const checked = await verifyEach(rows, compared, {
    source,
    isWhole,
    client: countingAsker(createAsker(connections), asked),
    asked,
    sample,
    stop,
    onProgress,
  })
  const unverifiable = unknown.flatMap(({ stream, tables }) =>
    tables
      .filter((table) => rows.looksAt({ name: table } as Table))
      .map((table) => ({ table, stream, reason: withoutJob(source) })),
  )
  return { ...checked, unverifiable: [...(checked.unverifiable ?? []), ...unverifiable] }
}

/** `verifyEvmState` compares these tables by their rows. */
const statesAtBlocks: ReadonlySet<string> = new Set(statesOfTables.map(({ table }) => table.name))

function withoutJob(source: ListSource): string {
  return `verify --${source} does not know the parameters of this list: they do not declare it again, and no job of the configuration (--config) has this list now.`
}

type Asked = Limits & { requests: number }

function countingAsker(client: Asker, asked: Asked): Asker {
  return {
    ask(question, options) {
      asked.requests++
      return client.ask(question, options)
    },
  }
}

type Verification = Asking & {
  readonly source: ListSource
  readonly isWhole: boolean
  readonly client: Asker
  readonly asked: Asked
  readonly sample: number
}

async function verifyEach(
  rows: LakeRows,
  streams: readonly StreamDeclaration[],
  verification: Verification,
): Promise<Checked> {
  const { source, asked, stop, onProgress } = verification
  const findings: Finding[] = []
  const unverifiable: Unverifiable[] = []
  const failed = new Map<string, ChainlakeError>()
  const answers = waitingAnswers(rows, source, findings)
  let done = 0
  /** The lists that are not read, by what ended the verification before. */
  const left = { requests: 0, findings: 0 }
  for (const [at, stream] of inMixedOrder(streams).entries()) {
    stop.throwIfAborted()
    onProgress({ what: `lists of the ${source}`, done: at, of: streams.length })
    const most = mostOf(asked, streams.length - at - 1)
    const end = findings.length >= mostFindings ? 'findings' : most === 0 ? 'requests' : null
    const host = hostOf(stream.walk)
    const error = failed.get(host) ?? end ?? (await readList(rows, stream, most, verification, answers.add))
    if (error === null) done++
    else if (typeof error === 'string') left[error]++
    else unverifiable.push(...unansweredTables(rows, source, stream, error))
    if (error instanceof ChainlakeError && endsHost(error)) failed.set(host, error)
    await answers.flush(rowsAtOnce)
  }
  await answers.flush(1)
  onProgress({ what: `lists of the ${source}`, done: streams.length, of: streams.length })
  return { findings: findings.slice(0, mostFindings), remarks: remarksOf(source, asked, done, left), unverifiable }
}

/** The most requests for a list: each of the lists after it keeps one while there are enough. */
function mostOf({ most, ofList, requests }: Asked, after: number): number {
  const left = most - requests
  return Math.min(left, ofList, Math.max(1, left - after))
}

/** Reads some pages of a list; resolves to the failure of the source, or to null. */
async function readList(
  rows: LakeRows,
  stream: StreamDeclaration,
  most: number,
  { isWhole, client, sample, stop }: Verification,
  add: (table: Table, answered: readonly Answered[]) => void,
): Promise<ChainlakeError | null> {
  const known = knownOf(rows, stream, isWhole)
  let read = 0
  try {
    for await (const listed of somePages(stream, { client, signal: stop, most, covered: known.covered })) {
      for (const [table, own] of answeredRows(rows, stream, listed, known)) {
        add(table, own)
        read += own.length
      }
      if (read >= sample) break
    }
    return null
  } catch (error) {
    stop.throwIfAborted()
    if (error instanceof ChainlakeError) return error
    throw error
  }
}

/** Collects answered rows, because one query compares the rows of many lists. */
function waitingAnswers(rows: LakeRows, source: ListSource, findings: Finding[]) {
  const waiting = new Map<Table, Answered[]>()
  return {
    add(table: Table, answered: readonly Answered[]): void {
      waiting.set(table, [...(waiting.get(table) ?? []), ...answered])
    },
    /** Compares the rows of tables with at least this many. */
    async flush(least: number): Promise<void> {
      for (const [table, answered] of waiting) {
        if (answered.length < least) continue
        findings.push(...(await compareTable(rows, table, answered, source)))
        waiting.delete(table)
      }
    },
  }
}

function remarksOf(
  source: ListSource,
  { requests, most }: Asked,
  done: number,
  left: { readonly requests: number; readonly findings: number },
): Remark[] {
  // Many lakes have no lists of a node.
  if (source === 'node' && done + left.requests + left.findings === 0) return []
  const more = [
    notCompared(left.requests, `a verification sends at most ${countText(most)} requests`),
    notCompared(left.findings, `a verification of lists ends after ${countText(mostFindings)} findings`),
  ]
  return [
    {
      message: `Requests for lists of the ${source}: ${countText(requests)}, for ${countText(done)} lists.${more.join('')}`,
    },
  ]
}

function notCompared(lists: number, why: string): string {
  return lists === 0 ? '' : ` ${countText(lists)} further lists were not compared: ${why}.`
}

function unansweredTables(
  rows: LakeRows,
  source: ListSource,
  stream: StreamDeclaration,
  { code, message }: ChainlakeError,
): Unverifiable[] {
  const reason = `the ${source} did not answer as a run needs it (${code}): ${message}`
  return comparedTables(rows, stream).map(({ name }) => ({ table: name, stream: streamId(stream.stream), reason }))
}

/** Whether requests to the host for other lists would fail, too. */
function endsHost(error: ChainlakeError): boolean {
  if (error instanceof HttpError) return [401, 403].includes(error.status)
  return error instanceof PostponedError || error instanceof RateLimitError || error.code.startsWith('transport.')
}

function hostOf(walk: StreamDeclaration['walk']): string {
  if (walk.kind === 'keyed') return JSON.stringify(walk.keys[0]?.request.host ?? null)
  const list = 'list' in walk ? walk.list : 'subjects' in walk ? walk.subjects[0]?.lists[0] : undefined
  const request = typeof list === 'object' ? list.request(null) : 'head' in walk ? walk.head.request : undefined
  return JSON.stringify(request?.host ?? null)
}

/** The same order in each verification. Lists of one kind do not follow each other, so that a few requests reach all kinds. */
function inMixedOrder(streams: readonly StreamDeclaration[]): StreamDeclaration[] {
  const seen = new Map<string, number>()
  const ordered = streams
    .map((stream) => ({ stream, order: hash('md5', streamId(stream.stream)) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
  return ordered
    .map((each) => {
      const { kind = '' } = each.stream.stream
      const turn = seen.get(kind) ?? 0
      seen.set(kind, turn + 1)
      return { ...each, turn }
    })
    .sort((a, b) => a.turn - b.turn)
    .map(({ stream }) => stream)
}
