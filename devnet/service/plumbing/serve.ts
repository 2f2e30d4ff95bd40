import { createHash, randomUUID } from 'node:crypto'
import { stringify } from 'lossless-json'
import { evmChainId } from '../../c/state.ts'
import { type FaultKind, isServicePath } from '../../faults.ts'
import { type Answer, type DevnetRequest, jsonAnswer, type Route } from '../../http/router.ts'
import type { Dialect } from '../../index/methods.ts'
import { errorAnswer, type Host, ServiceError } from './error.ts'
import { createLimits, type LimitOptions, unitsOf } from './limits.ts'
import type { ListAnswer, PlainAnswer, Rows, ServiceCall, ServiceRoute, ServiceSettings } from './route.ts'
import { checked, integer, partRules, text } from './rules.ts'

type Serving = {
  readonly settings: ServiceSettings
  readonly limits: ReturnType<typeof createLimits>
  readonly pager: Pager
  /** What happens with an unknown or expired token, by host. */
  readonly tokenEnd: Readonly<Record<Host, 'refuse' | 'restart'>>
}

type Matched = { readonly route: ServiceRoute; readonly parts: Readonly<Record<string, string>> }

/** One route of the server for all routes of the service. Unknown paths under `/v1/` and `/v2/` get the service's own 404. */
export function serveRoutes(routes: readonly ServiceRoute[], serving: Serving): Route {
  const templates = routes.map((route) => ({ route, match: pathTemplate(route.path) }))
  const find = (method: string, path: string): Matched | null => {
    for (const { route, match } of templates) {
      const parts = route.method === method ? match(path) : null
      if (parts !== null) return { route, parts }
    }
    return null
  }
  return {
    path: null,
    handle: async (request) => {
      if (!isServicePath(request.path)) return null
      const found = find(request.method, request.path)
      const host = found?.route.host ?? 'data'
      try {
        if (found === null) throw ServiceError.of(404, `Cannot ${request.method} ${request.path}`)
        return await answerRoute(found, request, serving)
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        return errorAnswer(error, host, serving.settings.dialect)
      }
    },
  }
}

async function answerRoute({ route, parts }: Matched, request: DevnetRequest, serving: Serving): Promise<Answer> {
  const headers = serving.limits.spend(route.host, request.headers, unitsOf(route.host, route.cost))
  const rules = Object.entries({ ...partRules, ...route.parts }).filter(([name]) => name in parts)
  const call: ServiceCall = {
    parts: { ...parts, ...(checked(Object.fromEntries(rules), (name) => [parts[name]!]) as Record<string, string>) },
    query: checked(route.parameters, (name) => request.query.getAll(name)),
    body: bodyOf(request),
    settings: serving.settings,
  }
  if (call.parts.chainId !== undefined && call.parts.chainId !== String(evmChainId))
    throw ServiceError.of(404, `Chain ${parts.chainId} is not supported`)
  const answer =
    route.kind === 'plain'
      ? answerPlain(await route.handle(call))
      : jsonAnswer(200, await answerList(route, call, request, serving))
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

function answerPlain({ status = 200, body }: PlainAnswer): Answer {
  return jsonAnswer(status, [jsonText(body)])
}

async function answerList(
  route: ServiceRoute & { readonly kind: 'list' },
  call: ServiceCall,
  request: DevnetRequest,
  { pager, settings, tokenEnd }: Serving,
): Promise<Answer['body']> {
  const { pageSize, pageToken } = checked(pageRules(route.pageSize?.most), (name) => request.query.getAll(name))
  const whole = await route.handle(call)
  const answer: ListAnswer = call.parts.network === 'mainnet' ? { ...whole, rows: [] } : whole
  const page = await pager.read(
    {
      list: listName(request, route),
      token: pageToken === undefined || pageToken === '' ? null : pageToken,
      pageSize: pageSize ?? route.pageSize?.default ?? Number.MAX_SAFE_INTEGER,
      fault: request.fault,
      end: tokenEnd[route.host],
    },
    answer,
  )
  return listBody(page, page.next ?? endOf(settings, request))
}

/** The body of a list: token, items, additional fields. Texts of items are used unchanged. */
function listBody({ items, texts, of: { items: name, extra } }: Page, next: string | null): Answer['body'] {
  const token = next === null ? {} : { nextPageToken: next }
  if (texts === null) return [jsonText({ ...token, [name]: items, ...extra })]
  const rest = jsonText({ ...token, ...extra })
  return [`{"${name}":[`, ...texts, rest === '{}' ? ']}' : `],${rest.slice(1)}`]
}

/** The token at the end of a list. The real service omits it or sends an empty one; the specification omits it. */
function endOf({ dialect }: ServiceSettings, { url }: DevnetRequest): '' | null {
  return dialect === 'node' && url.length % 2 === 0 ? '' : null
}

function pageRules(most: number | undefined) {
  return {
    pageToken: text(),
    pageSize: most === undefined ? ignored : integer({ least: 1, most }),
  }
}

const ignored = { required: false, read: () => undefined }

/**
 * Identifies a list by route and parameters in any order of keys. The page size is not included, because it may change from page to page.
 */
function listName({ path, query, body }: DevnetRequest, { method }: ServiceRoute): string {
  const pairs = [...query].filter(([name]) => name !== 'pageToken' && name !== 'pageSize')
  const texts = pairs.map(([name, value]) => `${name}=${value}`).sort()
  return createHash('sha256')
    .update(`${method} ${path} ${texts.join('&')}\n`)
    .update(body)
    .digest('base64')
}

function bodyOf({ method, body }: DevnetRequest): unknown {
  if (method !== 'POST' || body.length === 0) return undefined
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw ServiceError.invalid(['The body is not valid JSON'])
  }
}

/** JSON text. Bigints become integers of any size. */
function jsonText(body: object): string {
  try {
    return JSON.stringify(body)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return stringify(body) ?? ''
  }
}

/** Parts of a path by name, percent-decoded; null if the path does not match. */
type PathMatch = (path: string) => Readonly<Record<string, string>> | null

/** Matches paths of a template such as `/v1/chains/{chainId}/addresses/{address}/balances:listErc721`. */
function pathTemplate(template: string): PathMatch {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const source = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '([^/]+)')
  const pattern = new RegExp(`^${source}$`)
  return (path) => {
    const match = pattern.exec(path.replaceAll('%3A', ':'))
    if (match === null) return null
    try {
      return Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(match[at + 1]!)]))
    } catch {
      // A path with broken percent-encoding matches no route.
      return null
    }
  }
}

type PageRequest = {
  /** Identifies the list: route and parameters, without page size. */
  readonly list: string
  readonly token: string | null
  readonly pageSize: number
  readonly fault: FaultKind | null
  /** What happens with an unknown or expired token. */
  readonly end: 'refuse' | 'restart'
}

type Page = {
  readonly items: readonly object[]
  /** Pieces of JSON text instead of the items, if the list has texts. */
  readonly texts: readonly (Buffer | string)[] | null
  readonly next: string | null
  /** The answer that the page belongs to: that of the first page if it is pinned. */
  readonly of: ListAnswer
}

/** Cuts pages out of lists. */
type Pager = { read(request: PageRequest, answer: ListAnswer): Promise<Page> }

/** How many tokens of a list a fault may invalidate until the list is read to its end, so that readers finish eventually. */
const mostDeaths = 2
/** The number of rows by which the fault `shifting-list` shifts a list between two pages. */
const shift = 3

/** The places of tokens are stored for `lifeMs` milliseconds. */
function createPager(lifeMs: number, now: () => number = Date.now): Pager {
  const known = new Map<string, { readonly list: string; readonly place: Place; readonly made: number }>()
  const makeToken = (list: string, place: Place): string => {
    const token = randomUUID()
    for (const [oldest, { made }] of known) {
      if (known.size < mostTokens && now() - made < lifeMs) break
      known.delete(oldest)
    }
    known.set(token, { list, place, made: now() })
    return token
  }
  /** Null if the token is unknown, belongs to another list, or has expired. */
  const find = (token: string, list: string): Place | null => {
    const found = known.get(token)
    return found === undefined || found.list !== list || now() - found.made >= lifeMs ? null : found.place
  }
  const deaths = new Map<string, number>()
  const kill = (token: string, list: string): boolean => {
    const before = deaths.get(list) ?? 0
    if (before >= mostDeaths) return false
    deaths.set(list, before + 1)
    known.delete(token)
    return true
  }
  const placeOf = ({ list, token, fault, end }: PageRequest): Place => {
    if (token === null) return start
    const found = find(token, list)
    const dying = found !== null && (fault === 'expired-token' || fault === 'restarted-token') && kill(token, list)
    if (found !== null && !dying) return found
    if (dying ? fault === 'expired-token' : end === 'refuse') throw ServiceError.of(400, 'Invalid or expired pageToken')
    return start
  }
  return {
    read: async (request, answer) => {
      const { list, token, fault, pageSize } = request
      const place = placeOf(request)
      const of = place.pinned ?? answer
      const rows = rowsOf(of)
      const moved = fault === 'shifting-list' && token !== null ? Math.min(shift, pageSize - 1) : 0
      const from = Math.max(0, place.position - moved)
      const most = Math.min(pageSize, Math.max(0, rows.count - from))
      const wanted = cutShort(of, from, shortened(fault, place, most))
      const texts = textsOf(rows, from, wanted)
      const items = texts === null ? await take(rows, from, wanted) : []
      const position = from + (texts === null ? items.length : wanted)
      if (position >= rows.count) {
        deaths.delete(list)
        return { items, texts, next: null, of }
      }
      const pinned = of.pinned === true ? of : null
      return { items, texts, next: makeToken(list, { position, followsEmpty: position === from, pinned }), of }
    },
  }
}

const start: Place = { position: 0, followsEmpty: false, pinned: null }

function rowsOf({ rows }: ListAnswer): Rows {
  return 'at' in rows && 'count' in rows ? rows : { count: rows.length, at: (index) => rows[index]! }
}

function shortened(fault: FaultKind | null, place: Place, items: number): number {
  if (fault === 'empty-page' && !place.followsEmpty) return 0
  if (fault === 'short-page') return Math.min(items, Math.max(1, Math.floor(items / 2)))
  return items
}

/** The number of wanted rows that stay below the weight at which a page ends. */
function cutShort({ cut }: ListAnswer, from: number, wanted: number): number {
  if (cut === undefined) return wanted
  let [count, weight] = [0, 0]
  while (count < wanted && weight < cut.most) {
    weight += cut.weigh(from + count)
    count += 1
  }
  return count
}

function textsOf({ text, texts }: Rows, from: number, wanted: number): Page['texts'] {
  if (texts !== undefined) return texts(from, from + wanted)
  if (text === undefined) return null
  return [Array.from({ length: wanted }, (_, at) => text(from + at)).join(',')]
}

async function take(rows: Rows, from: number, wanted: number): Promise<object[]> {
  const items: object[] = []
  while (items.length < wanted) {
    const read = rows.at(from + items.length)
    items.push(read instanceof Promise ? await read : read)
  }
  return items
}

/** The start of a page. */
type Place = {
  /** Number of items before it, counted from the current head of the list. */
  readonly position: number
  /** Whether the page that returned the token had no items. The next page then has some. */
  readonly followsEmpty: boolean
  /** The original answer, for lists with rows that may disappear between two pages. */
  readonly pinned: ListAnswer | null
}

/** The maximum number of tokens; beyond it, the oldest ones become unknown. */
const mostTokens = 50_000

/** How page tokens expire. */
type TokenOptions = {
  /** Lifetime of a token in milliseconds; default 24 hours, as in the specification (000, part 8). */
  readonly lifeMs?: number
  /**
   * What the service does with a token that has expired or belongs to another list: `refuse` returns status 400, `restart` returns the
   * first page. Default: the metrics host restarts, as the specification says, and the data host refuses.
   */
  readonly end?: 'refuse' | 'restart'
}

/** Behaviour of the simulated network's REST service that the specification leaves open. */
export type ServiceOptions = {
  /** Compute units and API keys; default unlimited. */
  readonly service?: LimitOptions
  readonly tokens?: TokenOptions
  /** Whether items exactly at `startTimestamp` and `endTimestamp` are included; default `inclusive`. */
  readonly bounds?: 'inclusive' | 'exclusive'
  readonly dialect?: Dialect
  /** Whether routes that the public service has removed are removed here too; default false. */
  readonly presentOnly?: boolean
}

const day = 86_400_000

/** What serves routes with these options; `now` is the time in milliseconds. */
export function createServing(
  { service = {}, tokens = {}, bounds = 'inclusive', dialect = 'node' }: ServiceOptions,
  now: () => number = Date.now,
): Serving {
  const { lifeMs = day, end } = tokens
  return {
    settings: { dialect, bounds },
    limits: createLimits(service, now),
    pager: createPager(lifeMs, now),
    tokenEnd: end === undefined ? { data: 'refuse', metrics: 'restart' } : { data: end, metrics: end },
  }
}
