import { hash } from 'node:crypto'
import type { Catalog } from '../../catalog/catalog.ts'
import { type Columns, type ListWalk, type StreamDeclaration, type Table, observationColumns } from '../../define/index.ts'
import { coordinateOf } from '../../decode/requested-rows.ts'
import { ChainlakeError, HttpError, PostponedError, RateLimitError } from '../../errors.ts'
import { countText } from '../../lib/text/count-text.ts'
import { keySql, keyText } from '../../lookup/key-text.ts'
import { sqlText } from '../../lib/text/sql-quote.ts'
import { type Slice, type Stretch, streamId } from '../../model.ts'
import { union } from '../../plan/intervals.ts'
import { type Asker, createAsker } from '../../run/connections/ask.ts'
import { type ConnectionOptions, createConnections } from '../../run/connections/connections.ts'
import { timeAfter } from '../../run/lists/interval.ts'
import { comparable, type DecodedRow, rowFinding } from '../lake/compare-rows.ts'
import type { Finding, Remark, Unverifiable } from '../lake/finding.ts'
import type { Checked, LakeRows } from '../lake/lake-rows.ts'
import { kinds, mostFindings, type SampleOptions } from './node-sample.ts'
import { type ListedPage, somePages } from './service-pages.ts'
import { type KnownLists, serviceStreams } from './service-streams.ts'

/** How to connect to a REST service, and how many rows of each list to compare. */
export type ComparedService = Omit<ConnectionOptions, 'stop' | 'emit'> &
  Partial<Pick<ConnectionOptions, 'emit'>> &
  Pick<KnownLists, 'pipelines'> & {
    readonly sample: number
    /** The most requests of a verification, without retries. Default: 500. */
    readonly most?: number
    /** The jobs of chainlake.yaml that read services. */
    readonly jobs: (stop: AbortSignal) => Promise<KnownLists['jobs']>
  }

type Accounts = Pick<Catalog, 'stretches' | 'units' | 'limits'>
type Asking = Pick<SampleOptions, 'stop' | 'onProgress'>

/** The most requests of a verification, and for one list. */
const mostRequests = 500
const mostOfList = 10
/** How many rows are compared at once. */
const rowsAtOnce = 5_000

/**
 * Reads some pages of each list in the lake again, as a run does, and compares their rows with the lake in the columns that never change. A
 * service that fails says nothing about the lake: its lists are reported as unverifiable.
 */
export async function askService(
  rows: LakeRows,
  catalog: Accounts,
  { sample, most = mostRequests, jobs, pipelines, ...service }: ComparedService,
  { stop, onProgress }: Asking,
): Promise<Checked> {
  const connections = createConnections({ emit: () => undefined, ...service, stop })
  const { accounts } = connections.service()
  accounts.countIn(catalog)
  try {
    const { declared, unknown } = await serviceStreams(rows, { pipelines, jobs: await jobs(stop) }, connections.facts)
    const asked = { most, requests: 0 }
    const compared = declared.filter((stream) => comparedTables(rows, stream).length > 0)
    const checked = await verifyLists(rows, compared, {
      catalog,
      client: countingAsker(createAsker(connections), asked),
      asked,
      sample,
      stop,
      onProgress,
    })
    const unverifiable = unknown.flatMap(({ stream, tables }) =>
      tables.filter((table) => rows.looksAt({ name: table } as Table)).map((table) => ({ table, stream, reason: withoutJob })),
    )
    return { ...checked, unverifiable: [...(checked.unverifiable ?? []), ...unverifiable] }
  } finally {
    await accounts.settle()
    await connections.close()
  }
}

const withoutJob =
  'verify --service does not know all parameters of this list. Use --config with the chainlake.yaml of the job that reads it.'

type Asked = { readonly most: number; requests: number }

function countingAsker(client: Asker, asked: Asked): Asker {
  return {
    ask(question, options) {
      asked.requests++
      return client.ask(question, options)
    },
  }
}

type Verification = Asking & {
  readonly catalog: Accounts
  readonly client: Asker
  readonly asked: Asked
  readonly sample: number
}

/** A row of an answer. `isDue`: the lake must have it. */
type Answered = { readonly stream: StreamDeclaration; readonly row: DecodedRow; readonly isDue: boolean }

async function verifyLists(
  rows: LakeRows,
  streams: readonly StreamDeclaration[],
  { catalog, client, asked, sample, stop, onProgress }: Verification,
): Promise<Checked> {
  const share = Math.max(1, Math.min(mostOfList, Math.floor(asked.most / Math.max(1, streams.length))))
  const findings: Finding[] = []
  const unverifiable: Unverifiable[] = []
  const failed = new Map<string, ChainlakeError>()
  let waiting = new Map<Table, Answered[]>()
  let [done, left] = [0, 0]
  const flush = async (): Promise<void> => {
    for (const [table, answered] of waiting) findings.push(...(await compareTable(rows, table, answered)))
    waiting = new Map()
  }
  for (const [at, stream] of inMixedOrder(streams).entries()) {
    stop.throwIfAborted()
    onProgress({ what: 'lists of services', done: at, of: streams.length })
    const most = Math.min(share, asked.most - asked.requests)
    const host = hostOf(stream.walk)
    const unanswered = (error: ChainlakeError): void => {
      for (const table of comparedTables(rows, stream))
        unverifiable.push({ table: table.name, stream: streamId(stream.stream), reason: failure(error) })
    }
    const before = failed.get(host)
    if (before !== undefined) unanswered(before)
    else if (most === 0 || findings.length >= mostFindings) left++
    else
      try {
        const covered = coveredBy(rows, stream)
        const stretches = await catalog.stretches(stream.stream)
        let read = 0
        for await (const listed of somePages(stream, { client, signal: stop, most, covered })) {
          const [rowsOfPage, taken] = answeredRows(rows, stream, listed, { covered, stretches })
          for (const [table, own] of rowsOfPage) waiting.set(table, [...(waiting.get(table) ?? []), ...own])
          read += taken
          if (read >= sample) break
        }
        done++
      } catch (error) {
        stop.throwIfAborted()
        if (!(error instanceof ChainlakeError)) throw error
        if (endsHost(error)) failed.set(host, error)
        unanswered(error)
      }
    if ([...waiting.values()].reduce((sum, { length }) => sum + length, 0) >= rowsAtOnce) await flush()
  }
  await flush()
  onProgress({ what: 'lists of services', done: streams.length, of: streams.length })
  return { findings: findings.slice(0, mostFindings), remarks: remarksOf(asked, done, left), unverifiable }
}

function remarksOf({ requests, most }: Asked, done: number, left: number): Remark[] {
  const more = left === 0 ? '' : ` ${countText(left)} further lists were not compared, so that the requests stay below ${countText(most)}.`
  return [{ message: `Requests to the service: ${countText(requests)}, for ${countText(done)} lists.${more}` }]
}

function failure(error: ChainlakeError): string {
  return `the service did not answer as a run needs it (${error.code}): ${error.message}`
}

/** Whether requests to the host for other lists would fail, too. */
function endsHost(error: ChainlakeError): boolean {
  if (error instanceof HttpError) return [401, 403].includes(error.status)
  return error instanceof PostponedError || error instanceof RateLimitError || error.code.startsWith('transport.')
}

function hostOf(walk: StreamDeclaration['walk']): string {
  const list = 'list' in walk ? walk.list : 'subjects' in walk ? walk.subjects[0]?.lists[0] : undefined
  const request = typeof list === 'object' ? list.request(null) : 'head' in walk ? walk.head.request : undefined
  return JSON.stringify(request?.host ?? null)
}

/** The same order in each verification. Lists of one pipeline do not follow each other, so that a few requests reach all pipelines. */
function inMixedOrder(streams: readonly StreamDeclaration[]): StreamDeclaration[] {
  const seen = new Map<string, number>()
  const ordered = streams
    .map((stream) => ({ stream, order: hash('md5', streamId(stream.stream)) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
  return ordered
    .map((each) => {
      const pipeline = each.stream.stream.path.split('/', 1)[0]!
      const turn = seen.get(pipeline) ?? 0
      seen.set(pipeline, turn + 1)
      return { ...each, turn }
    })
    .sort((a, b) => a.turn - b.turn)
    .map(({ stream }) => stream)
}

/** The tables of a stream with something to compare. */
function comparedTables(rows: LakeRows, { tables, walk }: StreamDeclaration): Table[] {
  return (Object.values(tables) as Table[]).filter(
    (table) =>
      rows.looksAt(table) &&
      !rows.torn(table) &&
      rows.filesOf(table).length > 0 &&
      (fixedColumns(table, walk.kind).length > 0 || (walk.kind !== 'scan' && walk.kind !== 'snapshot')),
  )
}

/** What identifies a row, whenever it is read. */
function identityOf({ key }: Table): string[] {
  return key.filter((name) => !observationColumns.includes(name))
}

/**
 * The columns with the same value whenever a service is asked: those that never change, and facts of blocks, which other tables hold as well.
 * The points of a series do not change once they are final.
 */
function fixedColumns(table: Table, kind: ListWalk['kind'] | 'range'): string[] {
  const { key, history, lasting, notCompared, unproven, columns } = table
  const facts = history === 'rows' ? (unproven.partly ?? []) : []
  const points = kind === 'series' ? Object.keys(columns as Columns) : []
  const not = new Set([...key, ...notCompared, ...observationColumns, 'version_hash', 'present'])
  return [...new Set([...lasting, ...facts, ...points])].filter((name) => !not.has(name))
}

function coveredBy({ inventory }: LakeRows, { stream }: StreamDeclaration): Slice[] {
  const id = streamId(stream)
  return union(inventory.coverage.flatMap((row) => (row.stream === id ? [row.slice] : [])))
}

type Known = { readonly covered: readonly Slice[]; readonly stretches: readonly Stretch[] }

/** The rows of a page by table, and their number. */
function answeredRows(
  rows: LakeRows,
  stream: StreamDeclaration,
  listed: ListedPage,
  known: Known,
): [ReadonlyMap<Table, Answered[]>, number] {
  const isDue = dueRows(stream, listed, known)
  const found = new Map<Table, Answered[]>()
  for (const [name, table] of Object.entries(stream.tables) as [string, Table][]) {
    if (!comparedTables(rows, stream).includes(table)) continue
    const keeps = table.history !== 'observations' && !rows.inventory.withLosses.has(table.name)
    const own = (listed.page.rows[name] ?? []) as readonly DecodedRow[]
    const final = stream.walk.kind === 'series' ? own.filter((row) => isFinal(stream.walk, table, row, known)) : own
    found.set(
      table,
      final.map((row) => ({ stream, row, isDue: keeps && isDue(row) })),
    )
  }
  return [found, [...found.values()].reduce((sum, { length }) => sum + length, 0)]
}

/**
 * Whether the lake must have a row of a page. Services may list rows late: those of the newest `trailing` seconds or blocks may be missing. The
 * rows of a list without ranges are due if all items of their page are within one stretch.
 */
function dueRows({ walk }: StreamDeclaration, { page, list }: ListedPage, { covered, stretches }: Known) {
  const trailing = 'trailing' in walk && typeof walk.trailing === 'number' ? walk.trailing : 0
  if (walk.kind === 'blockWindow' || walk.kind === 'timeWindow' || walk.kind === 'heightRange') {
    const range = list.requested?.range
    if (range === undefined) return () => false
    return (row: DecodedRow) => {
      const at = coordinateOf(row, range)
      return covered.some(({ from, to }) => at >= from && at < to - trailing)
    }
  }
  if (walk.kind !== 'pageChain' && walk.kind !== 'oldestFirst') return () => false
  const isWithin = stretches.some(
    ({ topTime, bottomTime }) =>
      topTime !== null &&
      bottomTime !== null &&
      page.items.every(({ time }) => time !== null && time < topTime - trailing && time > bottomTime),
  )
  return () => isWithin
}

/** Whether a point of a series is older than the points that a run reads again. */
function isFinal(walk: StreamDeclaration['walk'], table: Table, row: DecodedRow, { covered }: Known): boolean {
  const column = identityOf(table).find((name) => table.columns[name].type.kind === 'timestamp')
  const end = Math.max(...covered.map(({ to }) => to))
  if (walk.kind !== 'series' || column === undefined || covered.length === 0) return false
  return coordinateOf(row, { column, holds: 'times' }) < timeAfter(end, walk.interval, -(walk.again + 1))
}

const from = { name: 'the answer of the service', kinds, ignored: [] } as const

async function compareTable(rows: LakeRows, table: Table, answered: readonly Answered[]): Promise<Finding[]> {
  const keyOf = keyText(table, identityOf(table))
  const stored = await storedRows(rows, table, answered)
  const findings = new Map<string, Finding>()
  for (const { stream, row, isDue } of answered) {
    const key = keyOf(row)
    const place = { stream: streamId(stream.stream) }
    const known = stored.get(key)
    if (known === undefined && isDue) {
      const message = `${table.name} does not have a row that is in ${from.name}.`
      findings.set(key, { ...rowFinding(rows, table, row, from, 'missing', message), ...place })
    }
    const columns = fixedColumns(table, stream.walk.kind)
    for (const found of known ?? []) {
      const column = columns.find((name) => isDifferent(row[name], found[name]))
      if (column === undefined) continue
      const message = `${column} of a row of ${table.name} differs from ${from.name}.`
      findings.set(key, {
        ...rowFinding(rows, table, found, from, 'different', message),
        ...place,
        columns: [column],
        expected: comparable(row[column]).slice(0, 200),
        found: comparable(found[column]).slice(0, 200),
      })
    }
  }
  return [...findings.values()]
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
): Promise<ReadonlyMap<string, readonly DecodedRow[]>> {
  const names = identityOf(table)
  const keyOf = keyText(table, names)
  const texts = [...new Set(answered.map(({ row }) => sqlText(keyOf(row))))]
  const found = new Map<string, DecodedRow[]>()
  if (texts.length === 0) return found
  const relation = rows.relation(table, rows.filesOf(table))
  const source = `FROM ${relation} WHERE ${keySql(table, names)} IN (${texts.join(', ')})`
  for await (const some of rows.engine.tableRows(table, source))
    for (const row of some as DecodedRow[]) {
      const key = keyOf(row)
      const [known] = found.get(key) ?? []
      if (table.history !== 'versions' || known === undefined) found.set(key, [...(found.get(key) ?? []), row])
      else if ((row['observed_at'] as bigint) > (known['observed_at'] as bigint)) found.set(key, [row])
    }
  return found
}
