import type { Bound, List, ListWalk, Requested, ServiceRequest } from '../../src/define/index.ts'
import type { ConfigError } from '../../src/errors.ts'
import { chunksOf } from '../../src/lib/chunks.ts'
import { requestOf, type ServiceRoute } from '../../src/sources/service-routes.ts'
import { parameterError } from './parameter-error.ts'

/** A filter in chunks that fit into a request; one empty chunk without a filter. */
export function filterChunks(
  list: readonly string[] | undefined,
  size: number,
): readonly (readonly string[] | undefined)[] {
  return list === undefined || list.length === 0 ? [undefined] : chunksOf(list, size)
}

/** Values of a list as the service accepts them; undefined for an empty list. */
export function commaSeparated(list: readonly string[] | undefined): string | undefined {
  return list === undefined || list.length === 0 ? undefined : list.join(',')
}

/** A paginated list of a route. Requests of its pages differ only in the token. `requested`: facts that its items must match. */
export function listOf(
  route: ServiceRoute,
  parts: Readonly<Record<string, string>>,
  query: ServiceRequest['query'],
  decode: List['decode'],
  requested: Requested = {},
  body?: object,
): List {
  return {
    request: (token) => requestOf(route, parts, { ...query, pageToken: token ?? undefined }, body),
    decode,
    requested,
  }
}

/** A list that earlier runs have read in part: newest first, or oldest first if the job sets that. */
export function knownListWalk(
  list: (order: 'asc' | 'desc') => List,
  order: string | undefined,
  trailing: number,
): ListWalk {
  if (order !== 'asc') return { kind: 'pageChain', list: list('desc'), trailing }
  return { kind: 'oldestFirst', list: list('asc'), newestFirst: list('desc'), trailing }
}

/** The order of such a list is part of the name of its stream, since progress depends on it (rows do not). */
export function orderInStream(order: string | undefined): string | undefined {
  return order === 'asc' ? order : undefined
}

/** Bounds of a range, the second one exclusive. */
export function mustBeRange(
  from: readonly [string, number | undefined],
  to: readonly [string, number | undefined],
): void {
  if (from[1] === undefined || to[1] === undefined || from[1] < to[1]) return
  throw emptyRange([from[0], from[1]], [to[0], to[1]])
}

type NamedBound = readonly [name: string, bound: Bound]

export function emptyRange(from: NamedBound, to: NamedBound): ConfigError {
  return parameterError(
    `The range ${shownBound('from', ...from)} ${shownBound('to', ...to)} is empty: the second bound is not part of it.`,
    `${to[0]} must be greater than ${from[0]}.`,
  )
}

/** `from 9`, or `from start-timestamp 2024-01-01T00:00:00Z` where the parameter has another name. */
function shownBound(side: 'from' | 'to', name: string, bound: Bound): string {
  return `${side} ${name === side ? '' : `${name} `}${boundText(name, bound)}`
}

/** Seconds from the year 271821 on exceed the range of JavaScript dates. */
const lastSecond = 8_640_000_000_000

function boundText(name: string, bound: Bound): string {
  const isTime = name.endsWith('-timestamp') && typeof bound === 'number' && bound <= lastSecond
  return isTime ? `${new Date(bound * 1000).toISOString().slice(0, -5)}Z` : String(bound)
}
