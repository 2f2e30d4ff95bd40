import { answerObject } from '../decode/json/fields.ts'
import { kinds } from '../decode/json/kinds.ts'
import { type Given, listReader, rowReader, secondsOf } from '../decode/list-reader.ts'
import {
  type Column,
  type DeclaredStream,
  type DecodePage,
  type Facts,
  type KeyedQuestion,
  type List,
  type ListWalk,
  type Page,
  type Pipeline,
  pipeline,
  quietContext,
  type RangeWalk,
  type ServiceAnswer,
  type ServiceRequest,
  type Subject,
  serviceStream,
} from '../define/index.ts'
import { ConfigError, DecodeError } from '../errors.ts'
import { chunksOf } from '../lib/arrays.ts'
import { wholeSeconds } from '../lib/time.ts'
import type { Slice } from '../model.ts'
import { columnTypes, type ListText } from './list-schema.ts'
import {
  columnOf,
  filled,
  filledPath,
  listParameters,
  listTable,
  pathSteps,
  selectingParameters,
  type TemplateValues,
  unitOf,
  valueAt,
  widthOf,
  withDefaults,
} from './list-table.ts'

/** Items of `each` that one stream observes. */
const observedTogether = 64

/** Makes a pipeline of a list. The list has been checked. */
export function compileList(name: string, list: ListText): Pipeline {
  const table = listTable(list)
  const decoder = listDecoder(list)
  const parametersOf = parameterReader(list)
  const host = hostOf(list)
  return pipeline({
    name,
    definition: list,
    comment: list.comment,
    parameters: listParameters(list),
    tables: { [rowsName]: table },
    reads: typeof host === 'object' ? host : 'service',
    walks: [list.walk.kind],
    streams: (given: TemplateValues, facts) => {
      const job = jobOf(name, list, given, facts)
      const decoderOf = (values: TemplateValues, subject = '') => decoder({ network: job.network, subject, values })
      const { walk } = list
      if (walk.kind === 'keyed') {
        const keys = eachOf(walk.keys, job.values).map(
          (values): KeyedQuestion => ({
            // All of its columns come from parameters, so no answer is needed.
            key: selectedOf(parametersOf(values), list.table.key) as KeyedQuestion['key'],
            request: pageRequests(list, values)(null),
            decode: decoderOf(values),
          }),
        )
        return [
          { stream: job.stream(job.values), walk: { kind: 'keyed', keys, unanswered: unansweredOf(list, walk.keys) } },
        ]
      }
      if (walk.kind === 'snapshot') return observations(list, job, decoderOf)
      return eachOf(list.each, job.values).map((values) => ({
        stream: job.stream(values),
        walk: listWalk(list, values, decoderOf(values)),
      }))
    },
  })
}

function jobOf(name: string, list: ListText, given: TemplateValues, facts: Facts) {
  const { inPath, filters } = selectingParameters(list)
  const revision = (list.revision ?? 1) > 1 ? list.revision : undefined
  const stated = list.network ?? String(given['network'])
  // The REST service has networks under names of its own, and testnet is another name of fuji.
  const isProfile = typeof hostOf(list) === 'string'
  const network = isProfile && stated === 'testnet' ? 'fuji' : stated
  const values: TemplateValues = {
    ...withDefaults(list, given),
    network: isProfile ? facts.service.networkInPath(network) : network,
  }
  return {
    network,
    values,
    stream: (of: TemplateValues) =>
      serviceStream(network, `${name}/${list.service ?? 'data'}`, {
        ...(selectedOf(of, [...inPath, ...filters]) as Parameters<typeof serviceStream>[2]),
        revision,
      }),
    subject: (of: TemplateValues) => {
      const parts = [name, ...inPath.map((parameter) => String(of[parameter]))]
      const texts = Object.entries(selectedOf(of, filters)).flatMap(([parameter, value]) =>
        value === undefined ? [] : [`${parameter}=${value}`],
      )
      return `${parts.join('/')}${texts.length === 0 ? '' : `?${texts.join('&')}`}`
    },
  }
}

/** The values for each item of a list parameter. */
function eachOf(each: string | undefined, values: TemplateValues): TemplateValues[] {
  if (each === undefined) return [values]
  return [...new Set((values[each] as readonly string[] | undefined) ?? [])].map((item) => ({
    ...values,
    [each]: item,
  }))
}

function observations(
  list: ListText,
  { values, stream, subject }: ReturnType<typeof jobOf>,
  decoderOf: (values: TemplateValues, subject: string) => ReturnType<ReturnType<typeof listDecoder>>,
): DeclaredStream[] {
  const subjectOf = (own: TemplateValues): Subject => {
    const name = subject(own)
    return { name, lists: [pagesOf(list, pageRequests(list, own), decoderOf(own, name))] }
  }
  const { each } = list
  return chunksOf(eachOf(each, values), observedTogether).map((together) => ({
    stream: stream(each === undefined ? values : { ...values, [each]: together.map((own) => String(own[each])) }),
    walk: { kind: 'snapshot', subjects: together.map(subjectOf) },
  }))
}

function selectedOf(values: Given, names: readonly string[]): Given {
  return Object.fromEntries(names.map((name) => [name, values[name]]))
}

/** The name of the table in pages. */
const rowsName = 'rows'

/** An answer that is a list by itself is read as this field of an object. */
const wholeAnswer = 'answer'

/**
 * Decodes the answers of a list. The same decoder serves all streams, so that an answer has the same shape for all. Rows have a network, a
 * subject and the values of parameters in addition to what answers state.
 */
export function listDecoder(list: ListText) {
  const { items = null, pager, ignore = [], walk } = list
  const isWholeList = items === '[]'
  const prefix = items === null ? '' : isWholeList ? '[].' : `${items}[].`
  const { key } = list.table
  const time = 'time' in walk ? walk.time : undefined
  const read = listReader({
    tables: { [rowsName]: listTable(list) },
    items: isWholeList ? wholeAnswer : items,
    token: pager?.kind === 'token' ? pager.at : null,
    ignore: ignore.flatMap((path) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : [])),
    ignoreInAnswer: [
      ...ignore.filter((path) => !path.startsWith(prefix)),
      ...(pager !== undefined && 'more' in pager && pager.more !== undefined ? [pager.more] : []),
    ],
    ...(items !== null && { mayMissItems: true, keyedBy: list['keyed-by'] }),
    ...(pager?.kind === 'token' && { lastTokens: pager.last?.map(String) }),
    key: (row: Given) => key.map((column) => String(row[column])).join(' '),
    time: (row: Given) => {
      const found = time === undefined ? null : (row[time] as bigint | null)
      return found === null ? null : secondsOf(found)
    },
  })
  const parameters = parameterReader(list)
  return (facts: { network: string; subject: string; values: TemplateValues }): DecodePage => {
    const { values, ...given } = facts
    const decode = read({ ...given, ...parameters(values) })
    return (whole, context, token = null): Page => {
      const answer = whole as ServiceAnswer
      const isEmpty = answer.status === 204 || list.empty?.includes(answer.status) === true
      const {
        rows,
        items,
        next: stated,
      } = isEmpty
        ? { rows: { [rowsName]: [] }, items: [], next: null }
        : decode(isWholeList ? { [wholeAnswer]: answer.json } : answer.json, context)
      // An item that a page has twice counts once: the next page then has some items again, and none is left out.
      const count = new Set(items.map((item) => item.key)).size
      return { rows, items, next: nextToken(pager, { answer, token, stated, items: count }) }
    }
  }
}

/** Makes a reader of the columns that come from parameters. It reads them like those of answers. */
function parameterReader(list: ListText): (values: TemplateValues) => Given {
  const { columns } = listTable(list)
  const own = Object.entries(list.table.columns).flatMap(([name, text]): [string, Column][] => {
    const { parameter } = text
    if (parameter === undefined) return []
    const column = columns[name]!
    return [[name, { ...column, reader: columnTypes[text.type][1] ?? column.reader, path: parameter }]]
  })
  const read = rowReader(Object.fromEntries(own))
  return (values) => read(answerObject(values, 'the parameters', quietContext()), {})
}

/** Whether a path can hold the items of a list. */
export function isItemsPath(path: string): boolean {
  return path === '[]' || pathSteps(path)?.every(({ each }) => !each) === true
}

/** The requests of the pages of a list. `values` are those of the templates; `changed` overrides entries of the query. */
function pageRequests(list: ListText, values: TemplateValues, changed: ServiceRequest['query'] = {}): List['request'] {
  const path = filledPath(list.path, values)
  const query = { ...queryOf(list.query, values), ...changed }
  const body = list.body === undefined ? undefined : (filled(list.body, values) as Readonly<Record<string, unknown>>)
  const shared = { ...sourceOf(list), method: list.method ?? ('GET' as const) }
  return (token) => {
    const page = pageOf(list.pager, token)
    return {
      ...shared,
      path: page.path ?? path,
      // A link to a page has its query.
      query: page.path === undefined ? { ...query, ...page.query } : {},
      answers: answersOf(list, token),
      ...(body && { body: { ...body, ...page.body } }),
    }
  }
}

/** The pages of a list, with what its pager says about them. */
function pagesOf({ pager }: ListText, request: List['request'], decode: List['decode']): List {
  return {
    request,
    decode,
    ...(isCounted(pager) && { isCounted: true }),
    ...(pager === undefined && { isOnePage: true }),
    ...(pager?.repeats !== undefined && { repeats: pager.repeats }),
  }
}

/** A request to the service of a list for something else than its pages. */
function otherRequest(
  list: ListText,
  { path, query }: { readonly path: string; readonly query?: Readonly<Record<string, unknown>> | undefined },
  values: TemplateValues,
): ServiceRequest {
  return { ...sourceOf(list), method: 'GET', path: filledPath(path, values), query: queryOf(query, values) }
}

/** A host of the REST service, or a service of chainlake.yaml. */
function hostOf({ service = 'data' }: ListText): ServiceRequest['host'] {
  return service === 'data' || service === 'metrics' ? service : { service }
}

/** The host of a list, and the cost of a request. */
function sourceOf(list: ListText): Pick<ServiceRequest, 'host' | 'weight'> {
  const host = hostOf(list)
  return { host, weight: list.cost ?? (typeof host === 'string' ? 'medium' : 1) }
}

function queryOf(
  query: Readonly<Record<string, unknown>> | undefined,
  values: TemplateValues,
): ServiceRequest['query'] {
  return (filled(query ?? {}, values) ?? {}) as ServiceRequest['query']
}

/** What the request of a page has in addition. The first page of a list has no token. */
function pageOf(
  pager: PagerText | undefined,
  token: string | null,
): Partial<Pick<ServiceRequest, 'path' | 'query' | 'body'>> {
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
function nextToken(pager: PagerText | undefined, { answer, token, stated, items }: PageEnd): string | null {
  if (pager === undefined) return null
  const path = 'more' in pager ? pager.more : undefined
  const more = path === undefined ? undefined : valueAt(answer.json, path)
  if (more === false) return null
  // A filter of the service may have left nothing of a page.
  const end = { answer, token, stated, items: more === true && pager.kind === 'page' ? Math.max(items, 1) : items }
  const next = statedToken(pager, end)
  if (more !== true || next !== null) return next
  throw new DecodeError('The service says that a list continues, but not where.', {
    code: 'decode.contradiction',
    details: { field: String(path), value: 'true', 'items of the page': items },
    hint: 'Nothing of this unit was written. Ask again later, or declare the pager of the list otherwise.',
  })
}

function statedToken(pager: PagerText, { answer, token, stated, items }: PageEnd): string | null {
  switch (pager.kind) {
    case 'token':
      // Some services return a token on every page. There, an empty page with its own token is the last one.
      return items === 0 && (pager.until === 'empty' || stated === token) ? null : stated
    case 'link':
      return answer.next
    case 'offset':
      return items === 0 ? null : String(Number(token ?? 0) + items)
    case 'page':
      return items === 0 ? null : String(Number(token ?? pager.first ?? 1) + 1)
  }
}

type PagerText = NonNullable<ListText['pager']>
type HeadText = Extract<WindowText['head'], { at: string }>
type WindowText = Extract<ListText['walk'], { kind: 'blockWindow' | 'timeWindow' }>

const usualTrailing = { seconds: 3600, blocks: 200 } as const

/** The walk over a list for the values of a job. `decode` reads its answers. Observations and keys have walks of their own. */
function listWalk(list: ListText, values: TemplateValues, decode: List['decode']): ListWalk {
  const { walk } = list
  const pages = (changed?: ServiceRequest['query']): List => pagesOf(list, pageRequests(list, values, changed), decode)
  switch (walk.kind) {
    case 'pageChain':
      return {
        kind: 'pageChain',
        list: pages(),
        trailing: trailingSeconds(walk),
        retention: walk['retention-seconds'],
      }
    case 'oldestFirst': {
      const { order } = walk
      return {
        kind: 'oldestFirst',
        list: pages(order && { [order.query]: order.oldest }),
        ...(order && { newestFirst: pages({ [order.query]: order.newest }) }),
        trailing: trailingSeconds(walk),
        retention: walk['retention-seconds'],
      }
    }
    case 'series':
      return {
        kind: 'series',
        list: pages(),
        from: walk.from ?? 0,
        interval: walk['interval-seconds'],
        again: walk.again ?? 3,
        retention: walk['retention-seconds'],
      }
    case 'blockWindow':
    case 'timeWindow':
      return rangeWalk(list, walk, values, decode)
    default:
      throw new RangeError(`${walk.kind} is no walk over one list.`)
  }
}

function trailingSeconds(walk: { time?: string | undefined; 'trailing-seconds'?: number | undefined }): number {
  return walk.time === undefined ? 0 : (walk['trailing-seconds'] ?? usualTrailing.seconds)
}

function rangeWalk(list: ListText, walk: WindowText, values: TemplateValues, decode: List['decode']): RangeWalk {
  const [from, to] = [Number(values['from'] ?? 0), values['to'] === undefined ? null : Number(values['to'])]
  if (to !== null && from >= to)
    throw new ConfigError(`The range from ${from} to ${to} is empty: the second bound is not part of it.`, {
      code: 'config.value',
      hint: 'to must be greater than from.',
    })
  const trailing =
    walk.kind === 'blockWindow'
      ? (walk['trailing-blocks'] ?? usualTrailing.blocks)
      : (walk['trailing-seconds'] ?? usualTrailing.seconds)
  const width = widthOf(list)
  const { head, kind } = walk
  return {
    kind,
    from,
    to,
    head:
      'behind-seconds' in head
        ? { behind: head['behind-seconds'] }
        : { request: otherRequest(list, head, values), decode: (answer) => headOf(answer, head, kind) },
    ahead: 0,
    list: (slice) => windowList(list, walk, values, decode, slice),
    unit: kind === 'timeWindow' ? unitOf(list) : undefined,
    // A row may have the first second of its day as its time: what is read again begins with a day.
    trailing: width === 0 ? trailing : Math.ceil(trailing / width) * width,
    first: walk.first ?? 10_000,
  }
}

/** A service may treat the end of a range as inclusive, so one more row may arrive than was requested. */
function windowList(
  list: ListText,
  { kind, column }: WindowText,
  values: TemplateValues,
  decode: List['decode'],
  slice: Slice,
): List {
  const bounds = { from: slice.from, to: slice.to, last: slice.to - 1 }
  const width = widthOf(list)
  const holds = kind === 'timeWindow' ? 'times' : 'numbers'
  return {
    ...pagesOf(list, pageRequests(list, { ...values, ...bounds }), decode),
    requested: { range: { column, holds, slice, margin: { before: width, after: Math.max(width, 1) } } },
  }
}

/** The newest block, or the Unix second of the newest time; null when the service has none yet. */
function headOf(answer: unknown, { at, unit = 'seconds' }: HeadText, kind: WindowText['kind']): number | null {
  const value = valueAt(answer, at)
  if (value === undefined) return null
  const found = kind === 'timeWindow' ? headSeconds(value, unit) : wholeOf(value)
  if (found !== null) return found
  throw new DecodeError(
    `The field ${at} of the answer is not the newest ${kind === 'timeWindow' ? 'time' : 'block'}.`,
    {
      code: 'decode.field',
      details: { field: at, value: String(value).slice(0, 200) },
      hint: 'Compare head.at and head.unit of the list with the answer of the service.',
    },
  )
}

const unitsPerSecond: Readonly<Record<string, bigint>> = {
  seconds: 1n,
  milliseconds: 1_000n,
  microseconds: 1_000_000n,
  nanoseconds: 1_000_000_000n,
}

function headSeconds(value: unknown, unit: NonNullable<HeadText['unit']>): number | null {
  const whole = digitsOf(value)
  const units = unitsPerSecond[unit]
  if (units !== undefined) return whole === null ? null : Number(whole / units)
  const found = kinds[unit].read(value) as bigint | null
  return found === null ? null : wholeSeconds(found * 1000n)
}

function wholeOf(value: unknown): number | null {
  const whole = digitsOf(value)
  return whole === null || whole > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(whole)
}

function digitsOf(value: unknown): bigint | null {
  return /^\d{1,30}$/.test(String(value)) ? BigInt(String(value)) : null
}

/** What to say about keys without an answer. */
function unansweredOf(list: ListText, keys: string) {
  return {
    column: columnOf(list, keys) ?? '',
    reason: 'the service has no answer for these keys',
    hint: `Check the values of ${keys}. The next run requests them again.`,
  }
}
