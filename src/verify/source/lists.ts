import { hash } from 'node:crypto'
import type { Catalog, CoverageRow, StreamFacts } from '../../catalog/catalog.ts'
import { coordinateOf, requestedRows } from '../../decode/requested-rows.ts'
import {
  type Columns,
  type Facts,
  type Keyed,
  type List,
  observationColumns,
  type Page,
  type PageItem,
  type Parameter,
  type Pipeline,
  quietContext,
  type RangeWalk,
  type StreamDeclaration,
  type Table,
} from '../../define/index.ts'
import { ChainlakeError, HttpError, PostponedError, RateLimitError } from '../../errors.ts'
import { groupBy } from '../../lib/arrays.ts'
import { countText, sqlText } from '../../lib/text.ts'
import { keySql, keyText } from '../../lookup/row-identity.ts'
import { type Slice, streamId } from '../../model.ts'
import { countOf, normalise } from '../../plan/intervals.ts'
import {
  type Asker,
  type ConnectionOptions,
  type Connections,
  createAsker,
  createConnections,
} from '../../run/connections/connections.ts'
import { declaredStreams, type Job } from '../../run/job.ts'
import { refusalPage } from '../../run/lists/list-pages.ts'
import { timeAfter } from '../../run/lists/list-times.ts'
import { isRefusedRange } from '../../run/lists/listed-range.ts'
import {
  type Checked,
  comparable,
  differenceFinding,
  type LakeRows,
  mostFindings,
  type Row,
  rowFinding,
} from '../lake.ts'
import type { Finding, Remark, Unverifiable } from '../report.ts'
import { statesOfTables } from './evm.ts'
import { kinds, type SampleOptions } from './sample.ts'

/** Which lists to compare, and how many rows of each. */
export type ComparedLists = {
  readonly sample: number
  /** The pipelines that may have filled the lake. */
  readonly pipelines: readonly Pipeline[]
  /** The jobs of chainlake.yaml that read such lists: with the parameters of streams, these say what to request. */
  readonly jobs: (stop: AbortSignal) => Promise<readonly Job[]>
}

/** How to connect to a REST service, and which of its lists to compare. */
export type ComparedService = Omit<ConnectionOptions, 'stop' | 'emit'> &
  Partial<Pick<ConnectionOptions, 'emit'>> &
  ComparedLists & {
    /** The most requests of a verification, without retries. Default: 500. */
    readonly most?: number
  }

/** The most requests to a service in a verification, and for one list. */
const mostRequests = 500
const mostOfList = 10
/** How many rows are compared at once. */
const rowsAtOnce = 5_000

/** Compares the lists of a REST service; see `rereadLists`. The catalog counts spent units. */
export async function askService(
  rows: LakeRows,
  { catalog, isWhole }: { readonly catalog: Pick<Catalog, 'units' | 'limits'>; readonly isWhole: boolean },
  { sample, most = mostRequests, jobs, pipelines, ...service }: ComparedService,
  asking: Pick<SampleOptions, 'stop' | 'onProgress'>,
): Promise<Checked> {
  const connections = createConnections({ emit: () => undefined, ...service, stop: asking.stop })
  const { accounts } = connections.service()
  accounts.countIn(catalog)
  const limits = { sample, most, ofList: mostOfList }
  try {
    return await rereadLists(rows, { source: 'service', connections, isWhole, ...limits, jobs, pipelines, ...asking })
  } finally {
    await accounts.settle()
    await connections.close()
  }
}

type Reread = ComparedLists &
  Pick<SampleOptions, 'stop' | 'onProgress'> & {
    readonly source: 'service' | 'node'
    readonly connections: Pick<Connections, 'facts' | 'connection' | 'service'>
    /** Whether the rows are all rows of the lake, so that a row can be missing. */
    readonly isWhole: boolean
    /** The most requests of a verification, and for one list. */
    readonly most: number
    readonly ofList: number
  }

/**
 * Reads some pages of each list in the lake again, as a run does, and compares their rows with the lake in the columns that never change. A
 * source that fails says nothing about the lake: its lists are reported as unverifiable.
 */
export async function rereadLists(rows: LakeRows, reread: Reread): Promise<Checked> {
  const { source, connections, most, ofList, stop, onProgress } = reread
  const { declared, unknown } = await listStreams(rows, reread)
  const coverage = groupBy(rows.inventory.coverage, ({ stream }) => stream)
  const known = declared.map((stream) => knownList(rows, stream, coverage.get(streamId(stream.stream)) ?? []))
  // Streams of many lists come last: they take the requests that the others leave.
  const isLarge = ({ stream }: KnownList) => listsOf(stream.walk).length > ofList
  const [small, large] = [false, true].map((is) =>
    known.filter((list) => list.tables.length > 0 && isLarge(list) === is),
  )
  const lists = [small!, large!].flatMap(inMixedOrder)
  const asker = createAsker(connections)
  let requests = 0
  const client: Asker = {
    ask(question, options) {
      requests++
      return asker.ask(question, options)
    },
  }
  const findings: Finding[] = []
  const unverifiable: Unverifiable[] = []
  const failed = new Map<string, ChainlakeError>()
  /** Rows that are compared with those of other lists by one query. */
  const waiting = new Map<Table, Answered[]>()
  const compareTables = async (least: number): Promise<void> => {
    for (const [table, answered] of waiting) {
      if (answered.length < least) continue
      findings.push(...(await compareTable(rows, table, answered, source)))
      waiting.delete(table)
    }
  }
  /** The lists that were read, and those that were not, by what ended the verification before. */
  const done = { read: 0, requests: 0, findings: 0 }
  const what = `lists of the ${source}`
  for (const [at, list] of lists.entries()) {
    stop.throwIfAborted()
    onProgress({ what, done: at, of: lists.length })
    const [rest, later] = [most - requests, lists.length - at - 1]
    // Each of the streams after it keeps one request while there are enough, and all of theirs before one with many lists takes more.
    const usual = Math.min(ofList, Math.max(1, rest - later))
    const own = Math.min(rest, Math.max(usual, Math.min(listsOf(list.stream.walk).length, rest - later * ofList)))
    const host = hostOf(list.stream.walk)
    const end = findings.length >= mostFindings ? 'findings' : own === 0 ? 'requests' : null
    const error = failed.get(host) ?? end ?? (await readList(rows, list, { ...reread, client, most: own }, waiting))
    if (error === null || typeof error === 'string') done[error ?? 'read']++
    else {
      const reason = `the ${source} did not answer as a run needs it (${error.code}): ${error.message}`
      unverifiable.push(...list.tables.map(({ name }) => ({ table: name, stream: list.id, reason })))
      if (endsHost(error)) failed.set(host, error)
    }
    await compareTables(rowsAtOnce)
  }
  await compareTables(1)
  onProgress({ what, done: lists.length, of: lists.length })
  return {
    findings: findings.slice(0, mostFindings),
    remarks: remarksOf(source, { requests, most, done }),
    unverifiable: [...unverifiable, ...unknown],
  }
}

type Counts = Record<'requests' | 'most', number> & { readonly done: Record<'read' | 'requests' | 'findings', number> }

function remarksOf(source: string, { requests, most, done }: Counts): Remark[] {
  // Many lakes have no lists of a node.
  if (source === 'node' && done.read + done.requests + done.findings === 0) return []
  const notCompared = (lists: number, why: string) =>
    lists === 0 ? '' : ` ${countText(lists)} further lists were not compared: ${why}.`
  const more = [
    notCompared(done.requests, `a verification sends at most ${countText(most)} requests`),
    notCompared(done.findings, `a verification of lists ends after ${countText(mostFindings)} findings`),
  ]
  const said = `Requests for lists of the ${source}: ${countText(requests)}, for ${countText(done.read)} lists.`
  return [{ message: said + more.join('') }]
}

/** `verifyEvm` compares these tables by their rows. */
const statesAtBlocks: ReadonlySet<string> = new Set(statesOfTables.map(({ table }) => table.name))

/** A list of the lake: the tables with something to compare, and what the lake has read of it. */
type KnownList = ReturnType<typeof knownList>

function knownList(rows: LakeRows, stream: StreamDeclaration, coverage: readonly CoverageRow[]) {
  const { inventory, looksAt, torn, filesOf } = rows
  const id = streamId(stream.stream)
  const tables = (Object.values(stream.tables) as Table[]).filter(
    (table) =>
      looksAt(table) &&
      !torn(table) &&
      filesOf(table).length > 0 &&
      (fixedColumns(table, stream).length > 0 || !('subjects' in stream.walk)),
  )
  return {
    id,
    stream,
    tables,
    covered: normalise(coverage.map(({ slice }) => slice)),
    stretches: inventory.stretches.get(id) ?? [],
  }
}

type Sampling = Pick<Reread, 'isWhole' | 'sample' | 'stop' | 'most'> & { readonly client: Asker }

/** Reads some pages of a list into `waiting`; resolves to the failure of the source, or to null. */
async function readList(
  rows: LakeRows,
  list: KnownList,
  sampling: Sampling,
  waiting: Map<Table, Answered[]>,
): Promise<ChainlakeError | null> {
  let read = 0
  try {
    for await (const listed of somePages(list, sampling)) {
      for (const [table, own] of answeredRows(rows, list, listed, sampling.isWhole)) {
        waiting.set(table, [...(waiting.get(table) ?? []), ...own])
        read += own.length
      }
      if (read >= sampling.sample) break
    }
    return null
  } catch (error) {
    sampling.stop.throwIfAborted()
    if (error instanceof ChainlakeError) return error
    throw error
  }
}

/** Whether requests to the host for other lists would fail, too. */
function endsHost(error: ChainlakeError): boolean {
  if (error instanceof HttpError) return [401, 403].includes(error.status)
  return error instanceof PostponedError || error instanceof RateLimitError || error.code.startsWith('transport.')
}

function hostOf(walk: StreamDeclaration['walk']): string {
  const ofHead = 'head' in walk && 'request' in walk.head ? walk.head.request : undefined
  const request = walk.kind === 'keyed' ? walk.keys[0]?.request : (ofHead ?? listsOf(walk)[0]?.request(null))
  return JSON.stringify(request?.host ?? null)
}

/** The same order in each verification. Lists of one kind do not follow each other, so that a few requests reach all kinds. */
function inMixedOrder(lists: readonly KnownList[]): KnownList[] {
  const order = new Map(lists.map((list) => [list, hash('md5', list.id)]))
  const ordered = lists.toSorted((a, b) => (order.get(a)! < order.get(b)! ? -1 : 1))
  const kinds = [...groupBy(ordered, ({ stream }) => stream.stream.kind ?? '').values()]
  const most = Math.max(0, ...kinds.map(({ length }) => length))
  return Array.from({ length: most }, (_, turn) => kinds.flatMap((own) => own[turn] ?? [])).flat()
}

/**
 * Declares the lists of the lake again, as a run does: from the jobs of chainlake.yaml, or from the parameters of the streams. These are
 * all that select rows, so a declared stream with the same ones is the same list. Only a keyed list differs: its keys are not among them, and
 * several jobs may share it. `unknown` are those that neither a job nor their parameters declare, and keyed lists with a job that names other
 * rows by now.
 */
async function listStreams(
  rows: LakeRows,
  { source, connections: { facts }, pipelines, jobs, stop }: Reread,
): Promise<{ readonly declared: readonly StreamDeclaration[]; readonly unknown: readonly Unverifiable[] }> {
  const network = source === 'node' ? (await facts.node()).network : null
  const ofJobs: StreamDeclaration[] = []
  for (const job of await jobs(stop)) ofJobs.push(...(await streamsOf(job, facts)))
  const declared: StreamDeclaration[] = []
  const unknown: Unverifiable[] = []
  const wanted = [...rows.inventory.streams.values()].filter(
    (known) =>
      (network === null || known.network === network) &&
      known.walk !== 'range' &&
      hasRows(rows, known) &&
      !known.tables.every((table) => statesAtBlocks.has(table)),
  )
  for (const known of wanted) {
    const pipeline = pipelines.find(({ name }) => name === known.pipeline)
    if (pipeline === undefined) continue
    const isKnown = ({ stream }: StreamDeclaration) => streamId(stream) === known.stream
    const own = ofJobs.filter(isKnown)
    const named = async () => await streamsOf({ pipeline, values: valuesOf(known, pipeline) }, facts)
    const found =
      known.walk === 'keyed'
        ? await keyedStreams(rows, own)
        : (own.length > 0 ? own : (await named()).filter(isKnown)).slice(0, 1)
    declared.push(...found)
    if (found.length > 0) continue
    const reason =
      own.length > 0
        ? `the job of this list names no row of the lake any more, such as the state of an earlier block: verify --${source} does not request such rows again.`
        : `verify --${source} does not know the parameters of this list: they do not declare it again, and no job of the configuration (--config) has this list now.`
    const looked = known.tables.filter((table) => rows.looksAt({ name: table }))
    unknown.push(...looked.map((table) => ({ table, stream: known.stream, reason })))
  }
  return { declared, unknown }
}

/** The keyed lists with the keys that the lake has rows of; without the lists that have no such key. */
async function keyedStreams(rows: LakeRows, streams: readonly StreamDeclaration[]): Promise<StreamDeclaration[]> {
  const found: StreamDeclaration[] = []
  for (const stream of streams) {
    const { walk } = stream
    const [table] = Object.values(stream.tables) as Table[]
    if (walk.kind !== 'keyed' || table === undefined || rows.filesOf(table).length === 0) continue
    const keyOf = keyText(table)
    const texts = walk.keys.map(({ key }) => keyOf({ network: stream.stream.network, ...key }))
    if (texts.length === 0) continue
    const stored = await rows.engine.rows(
      `SELECT ${keySql(table)} AS key FROM ${rows.relation(table, rows.filesOf(table))} WHERE ${keySql(table)} IN (${texts.map(sqlText).join(', ')})`,
    )
    const held = new Set(stored.map(({ key }) => key))
    const keys = walk.keys.filter((_, at) => held.has(texts[at]!))
    if (keys.length > 0) found.push({ ...stream, walk: { ...walk, keys } })
  }
  return found
}

/** The streams of a job; none if its values are wrong or the service does not answer. */
async function streamsOf(job: Pick<Job, 'pipeline' | 'values'>, facts: Facts): Promise<readonly StreamDeclaration[]> {
  try {
    return await declaredStreams(job, facts)
  } catch (error) {
    if (error instanceof ChainlakeError) return []
    throw error
  }
}

function hasRows({ inventory }: LakeRows, { network, tables }: StreamFacts): boolean {
  return inventory.tables.some(
    ({ name, files }) =>
      tables.includes(name) && files.some((file) => file.network === null || file.network === network),
  )
}

/** The values of the parameters of a pipeline for one of its streams. */
function valuesOf(stream: StreamFacts, { parameters }: Pipeline): Record<string, unknown> {
  const given = new Map(Object.entries(stream.parameters).map(([name, value]) => [letters(name), value]))
  const { network, chain = '' } = stream
  const ofColumns: Record<string, string> = {
    network,
    'chain-id': chain,
    // Streams of EVM chains have the number of the chain, not the job's name for it.
    ...(/^\d*$/.test(chain) ? {} : { chain }),
    blockchain: /^[PXC]$/.test(chain) ? `${chain.toLowerCase()}-chain` : chain,
  }
  const values = Object.entries<Parameter>(parameters).flatMap(([name, parameter]) => {
    // One stream reads one item of some lists, such as `contract` of `contracts`.
    const value = given.get(letters(name)) ?? given.get(letters(name).replace(/s$/, '')) ?? ofColumns[name]
    return value === undefined ? [] : [[name, givenValue(parameter, value)] as const]
  })
  return Object.fromEntries(values)
}

function letters(name: string): string {
  return name.replaceAll('-', '').toLowerCase()
}

function givenValue({ kind }: Parameter, value: string | readonly string[]): unknown {
  if (kind === 'list') return [value].flat()
  if (kind === 'boolean') return value === 'true'
  return kind === 'whole' || kind === 'time' ? Number(value) : value
}

type ListedPage = { readonly page: Page; readonly list: List }

/** Reads some pages of a stream again, by its own requests and decoder: the newest ones, or some from all over the covered range. */
async function* somePages(known: KnownList, sampling: Sampling): AsyncGenerator<ListedPage> {
  const { walk } = known.stream
  if (walk.kind === 'range') return
  if ('keys' in walk) yield* keyedPages(walk.keys, sampling)
  else if ('head' in walk) yield* windowPages(walk, known.covered, sampling)
  else {
    const lists = someOf(listsOf(walk), sampling.most)
    for (const list of lists) yield* pagesOf(list, Math.floor(sampling.most / lists.length), sampling)
  }
}

/** The lists of a stream that are read page by page. */
function listsOf(walk: StreamDeclaration['walk']): readonly List[] {
  if ('subjects' in walk) return walk.subjects.flatMap(({ lists }) => lists)
  if (walk.kind === 'range' || 'keys' in walk || 'head' in walk) return []
  return [walk.kind === 'oldestFirst' ? (walk.newestFirst ?? []) : [], walk.list].flat()
}

/** Up to `most` items from all over a list. */
function someOf<T>(items: readonly T[], most: number): T[] {
  const count = Math.min(items.length, most)
  return Array.from({ length: count }, (_, at) => items[Math.floor((at * items.length) / count)]!)
}

/** The answers for some keys, from all over the list. An answer that names a next token is followed by the one with the rows. */
async function* keyedPages(keys: Keyed['keys'], sampling: Sampling): AsyncGenerator<ListedPage> {
  const calls = keys.some(({ next }) => next !== undefined) ? 2 : 1
  for (const { request, next, ...key } of someOf(keys, Math.max(1, Math.floor(sampling.most / calls))))
    yield* pagesOf({ ...key, request: (token) => (token === null ? request : next!(token)) }, calls, sampling)
}

async function* pagesOf(list: List, most: number, { client, stop }: Sampling): AsyncGenerator<ListedPage> {
  const context = quietContext()
  let token: string | null = null
  for (let read = 0; read < most; read++) {
    const asked: string | null = token
    const page: Page = await client
      .ask(list.request(asked), {
        signal: stop,
        parse: (answer) => requestedRows(list.decode(answer, context, asked), list),
      })
      .catch((error: unknown) => {
        const refused = refusalPage(list, error, context, asked)
        if (refused === null) throw error
        return refused
      })
    yield { page, list }
    if (page.next === null) return
    token = page.next
  }
}

/** Requests the whole covered range; if the answer has more pages, or is a refusal, the first page of windows all over the range. */
async function* windowPages(walk: RangeWalk, slices: readonly Slice[], sampling: Sampling): AsyncGenerator<ListedPage> {
  const length = countOf(slices)
  let left = sampling.most
  const [first, ...others] = slices
  if (walk.kind !== 'heightRange' && first !== undefined && others.length === 0) {
    left--
    try {
      for await (const listed of pagesOf(walk.list(first), 1, sampling)) {
        yield listed
        if (listed.page.next === null) return
      }
    } catch (error) {
      if (!isRefusedRange(error)) throw error
    }
  }
  const longest = walk.kind === 'heightRange' ? 1 : walk.first
  const count = Math.min(left, length)
  const size = Math.max(1, Math.min(longest, Math.floor(length / Math.max(1, count))))
  for (let at = 0; at < count; at++)
    yield* pagesOf(walk.list(windowAt(slices, Math.floor((at * length) / count), size)), 1, sampling)
}

/** The window that begins this many coordinates after the first one of the slices. */
function windowAt(slices: readonly Slice[], offset: number, size: number): Slice {
  let left = offset
  for (const { from, to } of slices) {
    if (left < to - from) return { from: from + left, to: Math.min(to, from + left + size) }
    left -= to - from
  }
  throw new RangeError(`The slices end before ${offset}.`)
}

/** A row of an answer. `isDue`: the lake must have it. */
type Answered = { readonly stream: StreamDeclaration; readonly row: Row; readonly isDue: boolean }

/** What identifies a row, whenever it is read. At one block, only the subject says which block. */
function identityOf({ key, history }: Table, stream: StreamDeclaration): string[] {
  const names = key.filter((name) => !observationColumns.includes(name))
  return history === 'observations' && isAtBlock(stream) ? [...names, 'subject'] : names
}

/** Whether a list has the state at one block, which stays the same. */
function isAtBlock({ stream }: StreamDeclaration): boolean {
  return stream.parameters['block-number'] !== undefined
}

/**
 * The columns with the same value whenever a source is asked: those that never change, and facts of blocks, which other tables hold as well.
 * The points of a series do not change once they are final. Nodes write JSON in different ways.
 */
function fixedColumns(table: Table, stream: StreamDeclaration): string[] {
  const { key, history, lasting, notCompared, unproven, columns } = table
  const facts = history === 'rows' || isAtBlock(stream) ? (unproven.partly ?? []) : []
  const points = stream.walk.kind === 'series' ? Object.keys(columns as Columns) : []
  const not = new Set([...key, ...notCompared, ...observationColumns, 'version_hash', 'present'])
  return [...new Set([...lasting, ...facts, ...points])].filter((name) => !not.has(name) && !name.endsWith('_json'))
}

/** The rows of a page by table. `isWhole`: whether the rows are all rows of the lake. */
function answeredRows(
  { inventory }: LakeRows,
  known: KnownList,
  listed: ListedPage,
  isWhole: boolean,
): ReadonlyMap<Table, readonly Answered[]> {
  const { stream, tables } = known
  const isDue = dueRows(known, listed)
  const found = new Map<Table, Answered[]>()
  for (const [name, table] of Object.entries(stream.tables) as [string, Table][]) {
    if (!tables.includes(table)) continue
    const keeps = isWhole && table.history !== 'observations' && !inventory.withLosses.has(table.name)
    const own = (listed.page.rows[name] ?? []) as readonly Row[]
    const final = stream.walk.kind === 'series' ? own.filter((row) => isFinal(known, table, row)) : own
    found.set(
      table,
      final.map((row, position) => ({ stream, row, isDue: keeps && isDue(row, position, own.length) })),
    )
  }
  return found
}

/**
 * Whether the lake must have a row of a page. Services may list rows late: those of the newest `trailing` seconds or blocks may be missing.
 * A list with stretches must be there between the ends of one of them.
 */
function dueRows({ stream: { walk }, covered, stretches }: KnownList, { page, list }: ListedPage) {
  const trailing = 'trailing' in walk && typeof walk.trailing === 'number' ? walk.trailing : 0
  const range = list.requested?.range
  if (range !== undefined && stretches.length === 0)
    return (row: Row) => {
      const at = coordinateOf(row, range)
      return covered.some(({ from, to }) => at >= from && at < to - trailing)
    }
  const isWithin = ({ time }: PageItem): boolean =>
    stretches.some(
      ({ topTime, bottomTime }) =>
        time !== null && topTime !== null && bottomTime !== null && time < topTime - trailing && time > bottomTime,
    )
  // Most decoders give one row per item. The rows of other pages are due if all their items are.
  return (_: Row, position: number, of: number) =>
    stretches.length > 0 && (page.items.length === of ? isWithin(page.items[position]!) : page.items.every(isWithin))
}

/** Whether a point of a series is older than the points that a run reads again. */
function isFinal({ stream, covered }: KnownList, table: Table, row: Row): boolean {
  const { walk } = stream
  const column = identityOf(table, stream).find((name) => table.columns[name].type.kind === 'timestamp')
  const end = Math.max(...covered.map(({ to }) => to))
  if (walk.kind !== 'series' || column === undefined || covered.length === 0) return false
  return coordinateOf(row, { column, holds: 'times' }) < timeAfter(end, walk.interval, -(walk.again + 1))
}

/** Compares rows of answers with those of the lake, by what identifies them in their lists. */
async function compareTable(
  rows: LakeRows,
  table: Table,
  answered: readonly Answered[],
  source: string,
): Promise<Finding[]> {
  const from = { name: `the answer of the ${source}`, kinds, ignored: [] }
  const findings: Finding[] = []
  for (const some of groupBy(answered, ({ stream }) => identityOf(table, stream).join()).values()) {
    const names = identityOf(table, some[0]!.stream)
    const keyOf = keyText(table, names)
    const stored = await storedRows(rows, table, some, names)
    const found = new Map<string, Finding>()
    for (const { stream, row, isDue } of some) {
      const key = keyOf(row)
      const place = { stream: streamId(stream.stream) }
      const known = stored.get(key)
      if (known === undefined && isDue) found.set(key, rowFinding(rows, table, row, from, 'missing', place))
      const columns = fixedColumns(table, stream)
      for (const own of known ?? []) {
        const column = columns.find((name) => isDifferent(row[name], own[name]))
        if (column !== undefined)
          found.set(key, { ...differenceFinding(rows, table, own, from, column, row), ...place })
      }
    }
    findings.push(...found.values())
  }
  return findings
}

/** Null says nothing: services leave fields out. Services do not keep the order of addresses and ids. */
function isDifferent(said: unknown, found: unknown): boolean {
  if (said === null || said === undefined || found === null || found === undefined) return false
  return comparable(sorted(said)) !== comparable(sorted(found))
}

function sorted(value: unknown): unknown {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? [...value].sort() : value
}

/** The rows of the lake with the keys of answered rows: all observations of a row, and its latest version. */
async function storedRows(
  rows: LakeRows,
  table: Table,
  answered: readonly Answered[],
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly Row[]>> {
  const keyOf = keyText(table, names)
  const texts = [...new Set(answered.map(({ row }) => sqlText(keyOf(row))))]
  const found = new Map<string, Row[]>()
  if (texts.length === 0) return found
  const relation = rows.relation(table, rows.filesOf(table))
  const source = `FROM ${relation} WHERE ${keySql(table, names)} IN (${texts.join(', ')})`
  for await (const some of rows.engine.tableRows(table, source))
    for (const row of some as Row[]) {
      const key = keyOf(row)
      const [known] = found.get(key) ?? []
      if (table.history !== 'versions' || known === undefined) found.set(key, [...(found.get(key) ?? []), row])
      else if ((row['observed_at'] as bigint) > (known['observed_at'] as bigint)) found.set(key, [row])
    }
  return found
}
