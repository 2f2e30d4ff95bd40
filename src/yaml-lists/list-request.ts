import type { List, ServiceAnswer, ServiceRequest, Weight } from '../define/index.ts'
import type { ListText, PagerText } from './list-schema.ts'
import { filled, filledPath, type TemplateValues } from './template.ts'

/** The requests of the pages of a list. `values` are those of the templates; `changed` overrides entries of the query. */
export function pageRequests(
  list: ListText,
  values: TemplateValues,
  changed: ServiceRequest['query'] = {},
): List['request'] {
  const path = filledPath(list.path, values)
  const query = { ...queryOf(list.query, values), ...changed }
  const body = list.body === undefined ? undefined : (filled(list.body, values) as Readonly<Record<string, unknown>>)
  const shared = { ...sourceOf(list), method: list.method ?? ('GET' as const) }
  return (token) => {
    const page = pageOf(list.pager, token)
    const answers = answersOf(list, token)
    if (page.path !== undefined) return { ...shared, path: page.path, query: {}, answers, ...(body && { body }) }
    return {
      ...shared,
      path,
      query: { ...query, ...page.query },
      answers,
      ...(body === undefined ? {} : { body: { ...body, ...page.body } }),
    }
  }
}

/** A request to the service of a list for something else than its pages. */
export function otherRequest(
  list: ListText,
  { path, query }: { readonly path: string; readonly query?: Readonly<Record<string, unknown>> | undefined },
  values: TemplateValues,
): ServiceRequest {
  return { ...sourceOf(list), method: 'GET', path: filledPath(path, values), query: queryOf(query, values) }
}

/** The host of a list, and the cost of a request. */
function sourceOf({ service = 'data', cost }: ListText): Pick<ServiceRequest, 'host' | 'weight'> {
  if (service === 'data' || service === 'metrics') return { host: service, weight: cost ?? ('medium' satisfies Weight) }
  return { host: { service }, weight: cost ?? 1 }
}

function queryOf(
  query: Readonly<Record<string, unknown>> | undefined,
  values: TemplateValues,
): ServiceRequest['query'] {
  return (filled(query ?? {}, values) ?? {}) as ServiceRequest['query']
}

type PageParts = {
  readonly path?: string
  readonly query?: ServiceRequest['query']
  readonly body?: Readonly<Record<string, string>>
}

/** What the request of a page has in addition. The first page of a list has no token. */
function pageOf(pager: PagerText | undefined, token: string | null): PageParts {
  if (pager?.kind === 'page') return { query: { [pager.query]: token ?? String(pager.first ?? 1) } }
  if (pager?.kind === 'offset') return { query: { [pager.query]: token ?? '0' } }
  if (pager === undefined || token === null) return {}
  if (pager.kind === 'link') return { path: token }
  return pager.body === undefined ? { query: { [pager.query ?? '']: token } } : { body: { [pager.body]: token } }
}

/**
 * Statuses that mean that there is nothing. On a page after the first they show that a token is dead, unless pages are counted: then they
 * are the end of the list.
 */
function answersOf({ empty = [], pager }: ListText, token: string | null): readonly number[] {
  return token === null || isCounted(pager) ? empty : []
}

/** Whether the tokens of a list are numbers of items or pages. */
export function isCounted(pager: PagerText | undefined): boolean {
  return pager?.kind === 'page' || pager?.kind === 'offset'
}

/** What shows where the next page is. */
type PageEnd = {
  readonly answer: ServiceAnswer
  /** Token of the page that was read. */
  readonly token: string | null
  /** Token in the body; null where there is none. */
  readonly stated: string | null
  readonly items: number
}

/** The token of the next page; null at the end of a list. */
export function nextToken(pager: PagerText | undefined, { answer, token, stated, items }: PageEnd): string | null {
  switch (pager?.kind) {
    case undefined:
      return null
    case 'token':
      return stated
    case 'link':
      return answer.next
    case 'offset':
      return items === 0 ? null : String(Number(token ?? 0) + items)
    case 'page':
      return items === 0 ? null : String(Number(token ?? pager.first ?? 1) + 1)
  }
}
