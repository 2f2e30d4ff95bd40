import type { DecodePage, List, RangeWalk, ServiceRequest, StreamDeclaration } from '../../../src/define/index.ts'
import { HttpError } from '../../../src/errors.ts'
import type { Slice } from '../../../src/model.ts'
import type { ServiceClient } from '../../../src/sources/service-client.ts'
import { items } from './item-lake.ts'

export type Item = { readonly id: string; readonly time: number }

/** How a list is served. It covers all behaviour towards readers that was observed at a real service. */
export type ListService = {
  /** The list, newest first. Tests change it between runs and during runs. */
  items: Item[]
  pageSize: number
  /** The answer to expired tokens: an error, or the first page. */
  tokenEnd: 'refuse' | 'restart'
  /** Expires all current tokens. */
  killTokens(): void
  /** Called before each request with the number of earlier requests. It may change the list or throw. */
  before: (requests: number) => void
  /** Changes the answer to a request, given the number of earlier requests. */
  lie: (answer: ListAnswer, requests: number, query: Query) => ListAnswer
  requests: number
  /** The longest range that the service accepts. */
  longest: number
  /** The maximum number of concurrent requests so far. */
  busiest: number
  readonly client: ServiceClient
}

export type ListAnswer = { readonly items: readonly Item[]; readonly next?: string | null }
export type Query = { readonly token?: string; readonly from?: number; readonly to?: number; readonly order?: 'asc' }

/** Creates a service in memory. A token stores the last item of its page, and the offset in case that item is gone. */
export function createListService(items: readonly Item[], pageSize: number): ListService {
  let tokens = new Map<string, { readonly after: Item; readonly offset: number }>()
  let given = 0
  let busy = 0
  const service: ListService = {
    items: [...items],
    pageSize,
    tokenEnd: 'refuse',
    killTokens: () => {
      tokens = new Map()
    },
    before: () => undefined,
    lie: (answer) => answer,
    requests: 0,
    longest: Number.POSITIVE_INFINITY,
    busiest: 0,
    client: {
      ask: async (request, { parse, signal }) => {
        const earlier = service.requests++
        service.before(earlier)
        signal?.throwIfAborted()
        service.busiest = Math.max(service.busiest, ++busy)
        await new Promise((resolve) => setImmediate(resolve))
        busy--
        return parse(service.lie(page(request.query as Query), earlier, request.query as Query))
      },
      close: async () => undefined,
    } as ServiceClient,
  }
  const page = ({ token, from, to, order }: Query) => {
    if (from !== undefined && to !== undefined && to - from > service.longest)
      throw new HttpError('The range is too long.', 400)
    const ordered = order === 'asc' ? service.items.toReversed() : service.items
    const list = ordered.filter(({ time }) => (from === undefined || time >= from) && (to === undefined || time < to))
    const place = token === undefined ? undefined : tokens.get(token)
    if (token !== undefined && place === undefined && service.tokenEnd === 'refuse')
      throw new HttpError('The token is not known.', 400)
    const start = place === undefined ? 0 : list.indexOf(place.after) < 0 ? place.offset : list.indexOf(place.after) + 1
    const shown = list.slice(start, start + service.pageSize)
    const last = shown.at(-1)
    if (last === undefined || start + shown.length >= list.length) return { items: shown }
    const next = `token-${given++}`
    tokens.set(next, { after: last, offset: start + shown.length })
    return { items: shown, next }
  }
  return service
}

export const decodeItems: DecodePage = (answer) => {
  const { items, next } = answer as { items: readonly Item[]; next?: string }
  return {
    rows: { items: items.map(({ id, time }) => ({ network: 'test', item_id: id, item_time: time })) },
    items: items.map(({ id, time }) => ({ key: id, time })),
    next: next ?? null,
  }
}

/** Decodes the same items as versions and as rows of an observation. */
export const decodeVersions: DecodePage = (answer, { observationId, observedAt }) => {
  const page = decodeItems(answer, undefined as never)
  const row = { observation_id: observationId, observed_at: observedAt, version_hash: '', present: true }
  return { ...page, rows: { versions: (page.rows['items'] as object[]).map((item) => ({ ...item, ...row })) } }
}

export const decodeObserved: DecodePage = (answer, { observationId, observedAt }) => {
  const page = decodeItems(answer, undefined as never)
  const row = { subject: 'everything', observation_id: observationId, observed_at: observedAt }
  return { ...page, rows: { observed: (page.rows['items'] as object[]).map((item) => ({ ...item, ...row })) } }
}

/** The list of a service, either whole or for a range of times. */
export function listOf(
  range: { from?: number; to?: number; order?: 'asc' } = {},
  decode: DecodePage = decodeItems,
): List {
  return {
    request: (token): ServiceRequest => ({
      host: 'data',
      method: 'GET',
      path: '/items',
      query: { ...range, ...(token === null ? {} : { token }) },
      weight: 'small',
    }),
    decode,
    ...(range.from === undefined || range.to === undefined
      ? {}
      : {
          requested: {
            range: {
              column: 'item_time',
              holds: 'numbers',
              slice: { from: range.from, to: range.to },
              margin: noMargin,
            },
          },
        }),
  }
}

const noMargin = { before: 0, after: 0 }

/** A stream over the windows of a service, which answers with the given heads one after another, and then always with the last one. */
export function windowStream(kind: RangeWalk['kind'], heads: number[], trailing = 10) {
  return {
    stream: { network: 'test', path: 'window', parameters: {} },
    tables: { items },
    walk: {
      kind,
      from: 0,
      to: null,
      head: { request: listOf().request(null), decode: () => (heads.length > 1 ? heads.shift()! : heads[0]!) },
      ahead: 0,
      list: (slice: Slice) => listOf(slice),
      trailing,
      first: 16,
    },
  } satisfies StreamDeclaration
}

export const itemAt = (time: number): Item => ({ id: `item-${time}`, time })
