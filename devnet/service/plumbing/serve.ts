import { createHash } from 'node:crypto'
import { stringify } from 'lossless-json'
import { evmChainId } from '../../c/state.ts'
import { isServicePath } from '../../faults.ts'
import { type Answer, type DevnetRequest, jsonAnswer, type Route } from '../../http/router.ts'
import { errorAnswer, type Host, ServiceError } from './error.ts'
import { type Limits, unitsOf } from './limits.ts'
import type { ListAnswer, Page, Pager } from './pages.ts'
import type { PageSize, PlainAnswer, ServiceCall, ServiceRoute, ServiceSettings } from './route.ts'
import { checked, integer, partRules, text } from './rules.ts'

type Serving = {
  readonly settings: ServiceSettings
  readonly limits: Limits
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
  const { pageSize, pageToken } = checked(pageRules(route.pageSize), (name) => request.query.getAll(name))
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

function pageRules(pageSize: PageSize | null) {
  const most = pageSize?.most
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
