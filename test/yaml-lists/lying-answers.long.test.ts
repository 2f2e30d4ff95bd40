import { expect, test, vi } from 'vitest'
import { tpsPipeline } from '../../pipelines/tps.ts'
import type {
  Page,
  RangeWalk,
  ReadingContext,
  ServiceRequest,
  ServiceSettings,
  StreamDeclaration,
} from '../../src/define/index.ts'
import { HttpError } from '../../src/errors.ts'
import { parseWrittenJson } from '../../src/lib/json.ts'
import { streamId } from '../../src/model.ts'
import { walkOldestFirst, walkPageChain } from '../../src/run/lists/growing-lists.ts'
import { walkKeyed } from '../../src/run/lists/keyed-walk.ts'
import { listPages } from '../../src/run/lists/list-pages.ts'
import { listedRange } from '../../src/run/lists/listed-range.ts'
import { walkSeries } from '../../src/run/lists/series-walk.ts'
import type { Run } from '../../src/run/rows/lake-run.ts'
import type { ServiceClient } from '../../src/sources/service-client.ts'
import { compileList } from '../../src/yaml-lists/list-pipeline.ts'
import { streamsOf } from '../pipelines/streams-of.ts'
import { type MemoryLake, memoryRun, newMemoryLake } from '../run/lists/memory-lake.ts'
import { createTally, type UnnoticedLies } from '../unnoticed-lies.ts'
import { listOf } from './parsed-list.ts'

/**
 * A service lies about each field of an answer that decides what counts as read: once or always, in the first run or in a later one, for each
 * kind of walk. Then the lake has exactly the true rows; or the run is refused, has stored nothing that is false, and the next honest run
 * completes the lake. `unnoticed` lists the lies that no reader can tell from the truth, with what they cost.
 */

vi.mock('../../src/run/rows/list-batch.ts', async () => ({
  createListBatch: (await import('../run/lists/memory-lake.ts')).memoryBatch,
}))
vi.mock('../../src/run/rows/commit-batch.ts', async () => ({
  commitRows: (await import('../run/lists/memory-lake.ts')).memoryCommit,
}))

// Lists by day are read up to an hour before the clock: in the first hour of a day, other lies would be noticed.
vi.useFakeTimers({ toFake: ['Date'], now: new Date().setUTCHours(12, 0, 0, 0) })

type Item = { readonly id: string; readonly at: number; readonly block: number }
type Answer = { items?: unknown; total?: unknown; has_more?: unknown; next?: unknown; time?: unknown; block?: unknown }
/** An answer that is no JSON object, or has another status. */
type Reply = { readonly status?: number; readonly body?: string }

const day = 86_400
const usualStep = day / 6
/** Seconds between two items. */
let step = usualStep
const begin = 1_699_920_000
const pageSize = 10
const newestFirst = (count: number): Item[] =>
  Array.from({ length: count }, (_, at) => count - 1 - at).map((n) => ({ id: `i${n}`, at: begin + n * step, block: n }))

const list = (more: string, query = '', id = 'path: id') => `
comment: Items.
service: own
network: test
path: /items
query: { limit: 10${query} }
items: items
ignore: [total, next, has_more]
table:
  name: items
  comment: Items.
  key: [item_id]
  columns:
    item_id: { ${id}, type: text, comment: Id. }
    seen: { path: at, type: time, comment: Time. }
    height: { path: block, type: int64, comment: Block. }
${more}`
const token = 'pager: { kind: token, at: next, query: cursor }\n'
const trailing = 'trailing-seconds: 28800'
const window = `walk: { kind: timeWindow, column: seen, ${trailing}`

const walks = {
  'newest first': list(`${token}walk: { kind: pageChain, time: seen, ${trailing} }`),
  'newest first, no times': list(`${token}walk: { kind: pageChain }`),
  'by links': list(`pager: { kind: link }\nwalk: { kind: pageChain, time: seen, ${trailing} }`),
  'oldest first': list(
    `${token}walk: { kind: oldestFirst, time: seen, ${trailing}, order: { query: order, oldest: asc, newest: desc } }`,
  ),
  'oldest first only': list(`${token}walk: { kind: oldestFirst, time: seen, ${trailing} }`),
  seconds: list(`${token}${window}, head: { path: /newest, at: time } }`, ', since: "{from}", until: "{to}"'),
  days: list(`${token}${window}, head: { behind-seconds: 3600 } }`, ', since: "{from:date}", until: "{to:date}"'),
  blocks: list(
    `${token}walk: { kind: blockWindow, column: height, trailing-blocks: 2, head: { path: /newest, at: block } }`,
    ', least: "{from}", most: "{last}"',
  ),
  series: list(`${token}walk: { kind: series, time: seen, interval-seconds: ${usualStep}, from: ${begin} }`),
  'whole list': list(`${token}walk: { kind: snapshot, store: changes }`),
  'page numbers': list('pager: { kind: page, query: page, first: 0 }\nwalk: { kind: snapshot, store: changes }'),
  offsets: list('pager: { kind: offset, query: offset, more: has_more }\nwalk: { kind: snapshot, store: changes }'),
  keyed: list(
    'parameters: { ids: { type: list, comment: Ids. } }\nwalk: { kind: keyed, keys: ids }',
    ', id: "{ids}"',
    'parameter: ids',
  ),
} as const
/** A series of a pipeline in code: its points are the items, a day apart, and their values the numbers of the blocks. */
type Walk = keyof typeof walks | 'tps'
const walkNames = [...Object.keys(walks), 'tps'] as Walk[]

const secondOf = (text: unknown, other: number): number =>
  text === undefined ? other : `${text}`.includes('-') ? Date.parse(`${text}T00:00:00Z`) / 1000 : Number(text)

/** The answer to a request in truth. A cursor is the id of the last item of the page before. */
function truthOf(all: readonly Item[], { path, query }: ServiceRequest, walk: Walk): Answer {
  const {
    id,
    since,
    until,
    least: firstBlock = 0,
    most = Number.POSITIVE_INFINITY,
    cursor = /cursor=(\w+)/.exec(path)?.[1],
    page,
    offset,
    order,
  } = query
  if (path === '/newest') return { time: all[0]?.at, block: all[0]?.block }
  if (id !== undefined) return { items: all.filter((item) => item.id === id).map(({ id: _, ...item }) => item) }
  const ordered = walk === 'oldest first only' || order === 'asc' ? all.toReversed() : all
  const [least, end] = [secondOf(since, 0), secondOf(until, Number.POSITIVE_INFINITY)]
  const shown = ordered.filter(
    ({ at, block }) => at >= least && at < end && block >= Number(firstBlock) && block <= Number(most),
  )
  const counted = page === undefined ? offset : Number(page) * pageSize
  const from = Number(counted ?? shown.findIndex((item) => item.id === cursor) + 1)
  const items = shown.slice(from, from + pageSize)
  const hasMore = from + pageSize < shown.length
  return { items, total: shown.length, has_more: hasMore, next: hasMore ? items.at(-1)!.id : null }
}

/** What a lie knows: the number of the page within the run, and the true answers of earlier pages. `become` changes the list. */
type Told = {
  readonly page: number
  readonly before: readonly Answer[]
  readonly become: (change: (items: readonly Item[]) => readonly Item[]) => Answer
}
type Where = 'page 0' | 'page 1' | 'last' | 'head' | 'any'
/** Returns the true answer where it tells the truth. */
type Tell = (answer: any, told: Told) => Answer | Reply
type Lie = { readonly where: Where; readonly tell: Tell }
const at = (where: Where, tell: Tell): Lie => ({ where, tell })
const change = (where: Where, changes: object): Lie => at(where, (answer) => ({ ...answer, ...changes }))
const itemsOf = (where: Where, change: (items: readonly any[], told: Told) => unknown): Lie =>
  at(where, (answer, told) => ({ ...answer, items: change(answer.items, told) }))
const reply = (where: Where, other: Reply): Lie => at(where, () => other)
const leadingBack = (pages: number): Lie =>
  at('any', (answer, { page, before }) => (page < pages ? answer : { ...answer, next: before[page - pages]!.next }))
const tomorrow = () => Math.floor(Date.now() / 1000) + day

const lies: Readonly<Record<string, Lie>> = {
  'nothing, but the list grows': at('page 1', (_, { become }) => become(({ length }) => newestFirst(length + 3))),
  'nothing, but the newest item goes': at('page 1', (_, { become }) => become((items) => items.slice(1))),
  'no token': change('page 1', { next: null, has_more: undefined }),
  'no token, at the head': change('page 0', { next: null, has_more: undefined }),
  'a token that is empty': change('page 1', { next: '' }),
  'a token that leads to its own page': at('page 1', (answer, { before }) => ({ ...answer, next: before[0]?.next })),
  'tokens with period 2': leadingBack(2),
  'tokens with period 3': leadingBack(3),
  'a token that is an object': change('page 1', { next: { page: 2 } }),
  'a token on the last page': change('last', { next: 'i0' }),
  'has_more: false': change('page 1', { has_more: false }),
  'has_more: true at the end': change('last', { has_more: true }),
  'has_more: a text': change('page 1', { has_more: 'no' }),
  'a total that is too small': change('any', { total: 3 }),
  'no field of items': change('page 1', { items: undefined }),
  'items: null': change('page 1', { items: null }),
  'items: null, no token, at the head': change('page 0', { items: null, next: null, has_more: false }),
  'items: an object': change('page 1', { items: {} }),
  'items: a text': change('page 1', { items: 'none' }),
  'an empty page with a token': change('page 1', { items: [] }),
  'an empty page': change('page 1', { items: [], next: null, has_more: false }),
  'an empty page, at the head': change('page 0', { items: [], next: null, has_more: false }),
  'half a page': itemsOf('page 1', (items) => items.slice(0, 5)),
  'items of the page before': itemsOf('page 1', (items, { before }) => before[0]?.items ?? items),
  'an item of the page before again': itemsOf('page 1', (items, { before }) => [
    ...((before[0]?.items ?? []) as Item[]).slice(-1),
    ...items,
  ]),
  'the answer before': at('page 1', (answer, { before }) => before[0] ?? answer),
  'the answer before, at a third page': at('any', (answer, { page, before }) => (page === 2 ? before[1]! : answer)),
  'a page that is turned': itemsOf('page 1', (items) => items.toReversed()),
  'each item twice': itemsOf('page 1', (items) => items.flatMap((item) => [item, item])),
  'items without an id': itemsOf('page 1', (items) => items.map(({ id, ...item }) => item)),
  'times in milliseconds': itemsOf('page 1', (items) => items.map((item) => ({ ...item, at: item.at * 1000 }))),
  'no times': itemsOf('page 1', (items) => items.map(({ at, ...item }) => item)),
  'a time of 1970': itemsOf('page 1', ([item, ...items]) => [{ ...item, at: 5 }, ...items]),
  'a time of tomorrow': itemsOf('page 1', ([item, ...items]) => [{ ...item, at: tomorrow() }, ...items]),
  'a time of tomorrow, at the head': itemsOf('page 0', ([item, ...items]) => [{ ...item, at: tomorrow() }, ...items]),
  'a head in milliseconds': at('head', ({ time }) => ({ time: time * 1000, block: time * 1000 })),
  'a head of tomorrow': at('head', ({ block }) => ({ time: tomorrow(), block: block + 100 })),
  'a head of 2286': at('head', () => ({ time: 9_999_999_999, block: 2 ** 41 })),
  'a head above 2^53': at('head', () => ({ time: 1e30, block: '99999999999999999999' })),
  'a head below 0': at('head', () => ({ time: -5, block: -5 })),
  'a head of 0': at('head', () => ({ time: 0, block: 0 })),
  'a head that is too low': at('head', ({ time, block }) => ({ time: time - 5 * day, block: block - 20 })),
  'a head that is a text': at('head', () => ({ time: 'soon', block: 'soon' })),
  'without the newest item': itemsOf('page 0', (items) => items.slice(1)),
  'without the oldest item': itemsOf('last', (items) => items.slice(0, -1)),
  'without items in the middle of a page': itemsOf('page 1', (items) => items.toSpliced(3, 3)),
  'times that are shifted by a half': itemsOf('page 0', (items) =>
    items.map(({ at, ...item }) => ({ ...item, at: at - step / 2 })),
  ),
  'items that swap their times': itemsOf('page 0', (items) =>
    items.map((item, n) => ({ ...item, at: items.at(-1 - n).at })),
  ),
  'times in milliseconds, at the head': itemsOf('page 0', (items) =>
    items.map((item) => ({ ...item, at: item.at * 1000 })),
  ),
  'times in days, of all': itemsOf('any', (items) => items.map((item) => ({ ...item, at: Math.floor(item.at / day) }))),
  'times that are texts': itemsOf('any', (items) => items.map((item) => ({ ...item, at: `${item.at}` }))),
  'times that are dates': itemsOf('any', (items) =>
    items.map((item) => ({ ...item, at: new Date(item.at * 1000).toISOString() })),
  ),
  'items of a time before the request': itemsOf('page 0', (items) => [
    ...items,
    { id: 'early', at: begin - 90 * day, block: -9 },
  ]),
  'items beyond the head': itemsOf('page 0', (items) => [
    { id: 'beyond', at: begin + 200 * step, block: 200 },
    ...items,
  ]),
  'empty pages with ever new tokens': at('any', (answer, { page }) =>
    page === 0 ? { ...answer, next: 'n0' } : { items: [], next: `n${page}` },
  ),
  'the same page with ever new tokens': at('any', (answer, { page, before }) => ({
    ...(before[0] ?? answer),
    next: `n${page}`,
  })),
  'the head at each other page': at('any', (answer, { page, before }) =>
    page > 1 && page % 2 === 0 ? { ...answer, items: before[0]!.items } : answer,
  ),
  'an empty answer': at('any', () => ({ items: [], total: 0, has_more: false, next: null })),
  'no head': at('head', () => ({})),
  'status 200 with an error': at('page 1', () => ({ error: 'try later' }) as Answer),
  'status 200 with an error, at the head': at('page 0', () => ({ error: 'try later' }) as Answer),
  'status 200 with {}': at('page 1', () => ({})),
  'status 200 with []': reply('page 1', { body: '[]' }),
  'status 200 with null': reply('page 1', { body: 'null' }),
  'status 204': reply('page 1', { status: 204 }),
  'status 400': reply('page 1', { status: 400 }),
  'status 404': reply('page 1', { status: 404 }),
  'status 404, at the head': reply('page 0', { status: 404 }),
  'status 410': reply('page 1', { status: 410 }),
  'status 500': reply('page 1', { status: 500 }),
}

/** A service with a list. `lie` is told to the next `left` requests of its place. */
function serviceOf(walk: Walk, lie: Lie) {
  const state = {
    shown: newestFirst(25) as readonly Item[],
    left: 0,
    isTold: false,
    asked: [] as string[],
    before: [] as Answer[],
    requests: 0,
  }
  const answerOf = (request: ServiceRequest): Answer | Reply => {
    const truth = truthOf(state.shown, request, walk)
    const isHead = request.path === '/newest'
    const name = JSON.stringify([request.path, request.query])
    if (!isHead && !state.asked.includes(name)) state.asked.push(name)
    const page = isHead ? -1 : state.asked.indexOf(name)
    const wheres = isHead ? ['head'] : ['any', `page ${page}`, ...(truth.next === null ? ['last'] : [])]
    const become: Told['become'] = (change) => {
      state.shown = change(state.shown)
      return truthOf(state.shown, request, walk)
    }
    const isHere = state.left > 0 && wheres.includes(lie.where)
    const answer = isHere ? lie.tell(truth, { page, before: state.before, become }) : truth
    if (answer !== truth) state.left -= 1
    state.isTold ||= answer !== truth
    if (!isHead) state.before[page] = truth
    return answer
  }
  const client = {
    ask: async (question, { parse }) => {
      const request = walk === 'tps' ? itemsRequest(question as ServiceRequest) : (question as ServiceRequest)
      if (++state.requests > 20_000) throw new Error('It would have asked for ever.')
      const answer = answerOf(request)
      const { status = 200, body = 'status' in answer ? '{}' : JSON.stringify(answer) } = answer as Reply
      if (status > 299) throw new HttpError(`Status ${status}`, status)
      const json = status === 204 ? null : parseWrittenJson(walk === 'tps' ? pointsBody(body) : body)
      const { next } = answer as Answer
      const link = walk === 'by links' && typeof next === 'string' && next !== '' ? `/items?cursor=${next}` : null
      return parse(request.answers === undefined ? json : { status, next: link, json })
    },
    close: async () => undefined,
  } as ServiceClient
  return { state, client }
}

const tpsSettings = { tpsPath: '/v1/avg_tps/{chainId}' } as ServiceSettings
const itemsRequest = (request: ServiceRequest) => ({
  ...request,
  query: { cursor: request.query['pageToken'] } as ServiceRequest['query'],
})
const pointsBody = (body: string) =>
  body
    .replaceAll('"items"', '"results"')
    .replaceAll('"next"', '"nextPageToken"')
    .replaceAll(/"id":"[^"]*",?/g, '')
    .replaceAll('"at"', '"timestamp"')
    .replaceAll('"block"', '"value"')
    .replaceAll(/,"(?:total|has_more)":[^,}]*/g, '')

const ids = newestFirst(35).map(({ id }) => id)
const declared = new Map<Walk, StreamDeclaration>()

/** The stream of a list, which is compiled once. */
function streamOf(walk: Walk): StreamDeclaration {
  const known = declared.get(walk)
  if (known !== undefined) return known
  const compiled = walk === 'tps' ? null : compileList('lies', listOf(walks[walk]))
  const [stream] = (compiled?.streams({ ids }, {} as never) ??
    streamsOf(tpsPipeline, { network: 'local', 'chain-id': '43112' }, tpsSettings)) as readonly StreamDeclaration[]
  const found = { tables: compiled?.tables, ...stream } as StreamDeclaration
  declared.set(walk, found)
  return found
}

/** Runs the walk of a list once. */
async function runOnce(declared: StreamDeclaration, lake: MemoryLake, client: ServiceClient): Promise<unknown> {
  const context = (): ReadingContext => ({
    observationId: 'o',
    observedAt: 0n,
    unknownField: () => undefined,
    memory: new Map(),
  })
  const run = { ...memoryRun(lake, client), unanswered: () => undefined }
  const options = { stream: declared, run, context }
  const { walk } = declared
  switch (walk.kind) {
    case 'pageChain':
      return walkPageChain({ ...options, walk })
    case 'oldestFirst':
      return walkOldestFirst({ ...options, walk })
    case 'series':
      return walkSeries({ ...options, walk })
    case 'keyed':
      return walkKeyed({ ...options, walk })
    case 'timeWindow':
    case 'blockWindow':
      return readWindows({ ...declared, walk }, lake, run, context)
    case 'snapshot': {
      // An observation is what its lists have, if all of them can be read.
      const pages: Page[] = []
      const reading = { client: run.client, signal: run.stop, context, doubtsEnd: true }
      for await (const event of listPages(walk.subjects[0]!.lists[0]!, reading))
        if ('restarted' in event) pages.length = 0
        else pages.push(event.page)
      lake.rows.clear()
      return addRows(lake, pages)
    }
    default:
      return expect.fail('no walk over a list')
  }
}

function addRows({ rows }: MemoryLake, pages: readonly Page[]): void {
  for (const page of pages) for (const row of page.rows['rows'] as any[]) rows.set(row.item_id, row)
}

/** What ranges do with a list: windows one after another, each whole or not at all. */
async function readWindows(
  stream: StreamDeclaration<RangeWalk>,
  lake: MemoryLake,
  run: Run,
  context: () => ReadingContext,
): Promise<void> {
  const heads: Pick<Run, 'headOf' | 'highest'> = {
    headOf: async (request, decode) => run.client.ask(request, { signal: run.stop, parse: decode }),
    highest: async (column) => {
      const places = [...lake.rows.values()].map((row: any) => Number(row[column]))
      return new Map(places.length === 0 ? [] : [[streamId(stream.stream), BigInt(Math.max(...places))]])
    },
  }
  const tools = { context }
  const { source, walk } = listedRange({ stream, walk: stream.walk, run: { ...run, ...heads }, ...tools })
  const head = await source.head()
  if (head === null) return
  const [first, trailing] = [Number(walk.from), walk.trailing ?? 0]
  const covered = lake.covered[0]?.to ?? first
  const end = Math.max(head + 1 + (walk.beyond ?? 0), covered)
  for (let from = Math.max(first, covered - trailing); from < end; ) {
    const to = Math.min(from + source.windowSize(), end)
    const pages = await source.window(from, to).catch((error: unknown) => {
      // A window that is too large is read in parts.
      if (source.windowSize() >= to - from) throw error
      return null
    })
    if (pages === null) continue
    addRows(
      lake,
      pages.map(({ page }) => page),
    )
    from = to
    lake.covered = [{ from: first, to: Math.max(covered, Math.min(to, head + 1)) }]
  }
}

const textsOf = (items: readonly { id: unknown; at: unknown }[]) => items.map(({ id, at }) => `${id} ${at}`).sort()

/**
 * `whole`: the lake has the true rows. `late`: the next run adds rows that are missing. `lost`: it does not. `false`: the lake has a row that is
 * not true. Otherwise the code of the error, after which the next run completes the lake. Null: there was no place for the lie.
 */
async function outcomeOf(walk: Walk, when: 'first' | 'later', lie: Lie, times: number): Promise<string | null> {
  step = walk === 'tps' ? day : usualStep
  const { state, client } = serviceOf(walk, lie)
  const lake = newMemoryLake()
  const rowsNow = () =>
    textsOf(
      [...lake.rows.values()].map((row: any) => ({
        id: row.item_id ?? `i${row.metric_value}`,
        at: (row.seen ?? row.point_time) / 1_000_000n,
      })),
    )
  const truth = () => textsOf(walk === 'keyed' ? state.shown.filter(({ id }) => ids.includes(id)) : state.shown)
  const run = async () => {
    Object.assign(state, { asked: [], before: [], requests: 0 })
    return runOnce(streamOf(walk), lake, client).then(
      () => null,
      (error) => (error as { readonly code?: string }).code ?? `${error}`,
    )
  }
  if (when === 'later') await run()
  state.shown = newestFirst(when === 'later' ? 45 : 35)
  state.left = times
  const before = truth()
  const failure = await run()
  const isWhole = failure === null && JSON.stringify(rowsNow()) === JSON.stringify(truth())
  const isTrue = rowsNow().every((row) => before.includes(row) || truth().includes(row))
  state.left = 0
  const again = await run()
  if (!state.isTold) return isWhole ? null : `untold ${failure}`
  if (!isTrue) return 'false'
  if (isWhole) return again ?? 'whole'
  const isCompleted = again === null && truth().every((row) => rowsNow().includes(row))
  return isCompleted ? (failure ?? 'late') : 'lost'
}

/** Outcomes of lies that no reader can tell from the truth: `lie, walk, run, how often`. */
const unnoticed: UnnoticedLies = [
  // What comes or goes while a run reads is seen by the next run.
  ['late', /^nothing, but/],
  // The value of a column is what the service says.
  ['false', /^a time of (?:\w+|tomorrow, at the head), (?!seconds|days)/],
  ['false', /^(?:a time of 1970|items of a time before the request), (?:seconds|days), first/],
  ['false', /^(?:times in days|times that are shifted|items that swap)/],
  ['false', /^items (?:of a time before the request|beyond the head), (?!seconds|days|blocks)/],
  ['lost', /^a time of tomorrow.*, days, first/],
  // A keyed list has its key from the request.
  ['false', /^(?:items of the page before|the answer before|the head at each other|the same page with).*, keyed/],
  // A key without an answer is requested again.
  ['late', /, keyed, .*/],
  // Nothing above a head counts as read.
  ['late', /^(?:a head of 0|a head that is too low|no head)/],
  // A filter of a service may leave few items or none of a page.
  ['late', /^(?:half a page|an empty page with a token|items: null|no field of items), /],
  [
    'lost',
    /^(?:half a page|an empty page with a token|items: null|no field of items), .*(?:no times|oldest|seconds|blocks)/,
  ],
  // Nothing shows what an answer leaves out, unless a later run reads the place again.
  ['late', /^without /],
  ['lost', /^without (?:the oldest item|the newest item, oldest first).*, first run/],
  ['lost', /^without items in the middle of a page, (?:newest first, no times|oldest|seconds|blocks)/],
  // A list with its oldest item first is read on from where it ended.
  [
    'late',
    /^(?:no token|a token that is empty|an empty page|items: null, no|status 20|the head at each other).*, oldest first/,
  ],
  // A run that knows no rows of a list believes its end at the second answer, and an empty list at the first.
  ['late', /^(?:no token|a token that is empty|an empty page|status 20).*, first run, always/],
  [
    'lost',
    /^(?:no token|a token that is|an empty page|status 20).*, (?:newest|by links|series|tps).*, first run, always/,
  ],
  // The route of the specification states no page size, so that its first page may be the whole list.
  ['lost', /^no token, at the head, tps, first run, once/],
  ['late', /^(?:an empty page, at|an empty answer|items: null, no token, at).*, first run/],
  ['lost', /^(?:an empty page, at|an empty answer|items: null, no token, at).*, (?:seconds|days|blocks), first run/],
  // An observation knows nothing of earlier ones.
  [
    'late',
    /^(?:no token|a token that is empty|an empty page|empty pages|status 20|has_more: false).*, (?:whole|page|offsets).*, always/,
  ],
  ['late', /^(?:an empty page, at|an empty answer|items: null, no token, at).*, (?:whole|page|offsets)/],
  // A service that sends more items than a page has: its offsets count other items.
  ['late', /^an item of the page before again, offsets/],
]
const tally = createTally(unnoticed)

const cases = Object.entries(lies).flatMap(([name, lie]) =>
  (['first', 'later'] as const).flatMap((when) => [
    { name, lie, when, times: 1, often: 'once' },
    { name, lie, when, times: Number.POSITIVE_INFINITY, often: 'always' },
  ]),
)

test.each(walkNames)('lies about a list that is read as %s', async (walk) => {
  const unexpected: string[] = []
  for (const { name, lie, when, times, often } of cases) {
    // Days are read up to the clock: a later run has none of these to read.
    if (walk === 'days' && when === 'later') continue
    const outcome = await outcomeOf(walk, when, lie, times)
    if (outcome === null || /^(?:whole|decode\.[a-z-]+|transport\.[a-z-]+)$/.test(outcome)) continue
    const text = `${name}, ${walk}, ${when} run, ${often}`
    if (!tally.isKnown(outcome, text)) unexpected.push(`${outcome}: ${text}`)
  }
  expect(unexpected).toEqual([])
})

test('each lie that goes unnoticed was told', () => {
  expect(tally.untold()).toEqual([])
})
