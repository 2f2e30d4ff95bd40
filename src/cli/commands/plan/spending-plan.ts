import type { LakeStatus, StreamStatus } from '../../../catalog/catalog.ts'
import type { ListWalk, Question, ServiceRequest, StreamDeclaration } from '../../../define/index.ts'
import { countText } from '../../../lib/text/count-text.ts'
import { durationText } from '../../../lib/text/duration-text.ts'
import { streamId } from '../../../model.ts'
import { type LastMeasure, secondsFor } from '../../../run/status/last-measure.ts'
import { hostName } from '../../../sources/service/service-client.ts'
import type { ServiceHost } from '../../../sources/service/service-host.ts'

/** What a job costs at a service or a node, as far as that is known before the run. */
export type Spending = {
  /** `node`, or the name of a host. */
  readonly host: string
  /** Number of requests; null: only a run finds out. */
  readonly requests: number | null
  /**
   * `at least`: each list has one page or more. `at most`: keys that already have an answer are skipped. `about`: the number of the last
   * run.
   */
  readonly bound: 'at least' | 'at most' | 'about'
  /** Compute units; null when the requests are unknown, and for a node, which counts none. */
  readonly units: number | null
  /** Compute units that the host grants per day; null: not counted. */
  readonly unitsPerDay: number | null
  /** Days of the budget that the units take; null when either is unknown. */
  readonly days: number | null
  /** Estimated seconds, from the last run of the job or of its pipeline; null: neither was ever run on this lake. */
  readonly seconds: number | null
}

/** What requests cost, by the name of their host. */
export type Costs = ReadonlyMap<string, Pick<ServiceHost, 'weights' | 'unitsPerDay'>>

type Expected = {
  readonly requests: number | null
  readonly bound: Spending['bound']
  readonly request: Question | null
}

/** What a job would spend; null for a job without requests. */
export function planSpending(
  streams: readonly StreamDeclaration[],
  costs: Costs,
  status: LakeStatus | null,
  measure: LastMeasure | null = null,
): Spending | null {
  const expected = streams.flatMap(({ stream, walk }) => {
    const id = streamId(stream)
    const known = status?.streams.find((one) => one.stream === id) ?? null
    return walk.kind === 'range' ? [] : [expectedOf(walk, known)]
  })
  const first = expected.find(({ request }) => request !== null)
  if (first?.request == null) return null
  const { request } = first
  const total = expected.reduce<number | null>(
    (sum, one) => (sum === null || one.requests === null ? null : sum + one.requests),
    0,
  )
  // The number of keys is known; lists are expected to take as many requests as in the last run.
  const isLikeLast = measure?.own === true && measure.requests > 0 && first.bound !== 'at most'
  const requests = isLikeLast ? Math.max(total ?? 0, measure.requests) : total
  const bound = isLikeLast ? 'about' : first.bound
  const seconds = requests === null ? null : secondsFor(requests, 'requests', measure)
  if (request.host === 'node')
    return { host: 'node', requests, bound, units: null, unitsPerDay: null, days: null, seconds }
  const host = hostName(request)
  const known = costs.get(host)
  const units = requests === null ? null : requests * unitsOf(request, known)
  const perDay = known?.unitsPerDay ?? null
  const days = units === null || perDay === null ? null : units / perDay
  return { host, requests, bound, units, unitsPerDay: perDay, days, seconds }
}

function unitsOf({ weight }: ServiceRequest, host: Pick<ServiceHost, 'weights'> | undefined): number {
  return typeof weight === 'number' ? weight : (host?.weights[weight] ?? 1)
}

function expectedOf(walk: ListWalk, known: StreamStatus | null): Expected {
  if ('keys' in walk) return { requests: walk.keys.length, bound: 'at most', request: walk.keys[0]?.request ?? null }
  if ('subjects' in walk) {
    const lists = walk.subjects.flatMap((subject) => subject.lists)
    const request = lists[0]?.request(null) ?? null
    return { requests: Math.max(lists.length, pagesOf(request, known)), bound: 'at least', request }
  }
  if (!('head' in walk)) return { requests: null, bound: 'at least', request: walk.list.request(null) }
  const { request } = walk.list({ from: walk.from, to: walk.from + 1 })
  // A range that was never read takes one list over all of it. For a known range the head decides whether there is more to read.
  const isReadWhole = known === null && walk.kind !== 'heightRange'
  return { requests: isReadWhole ? 1 : null, bound: 'at least', request: request(null) }
}

/** Pages per observation, from the rows that the lake holds. */
function pagesOf(request: Question | null, known: StreamStatus | null): number {
  const size = Number(request === null ? Number.NaN : pageSizeOf(request))
  const readings = known?.observations?.complete ?? 0
  if (known === null || readings === 0 || !(size > 0)) return 0
  const rows = known.tables.filter(({ table }) => table !== 'observations').reduce((sum, table) => sum + table.rows, 0)
  return Math.ceil(rows / readings / size)
}

function pageSizeOf(request: Question): unknown {
  if (request.host !== 'node') return request.query['pageSize']
  return 'params' in request && 'limit' in request.params ? request.params['limit'] : undefined
}

/** Printed where only a run finds out. A run that stopped early may have committed rows, but gives no measure. */
export const unmeasured = 'unknown: no complete run yet'

/** One line for each job with a known number of requests, and one line for all others. */
export function spendingText(spendings: readonly { readonly job: string; readonly spending: Spending }[]): string {
  const known = spendings.flatMap(({ job, spending: { requests, bound, units, days, seconds } }) => {
    if (requests === null) return []
    const long = days !== null && days > 1 ? `: ${Math.ceil(days)} days of the budget` : ''
    const cost = units === null ? '' : `, ${countText(units)} units${long}`
    const time = seconds === null ? `time ${unmeasured}` : `about ${durationText(seconds)}`
    return [`${job}: ${bound} ${countText(requests)} ${requests === 1 ? 'request' : 'requests'}${cost}, ${time}`]
  })
  const unknown = spendings.flatMap(({ job, spending }) => (spending.requests === null ? [job] : []))
  const rest =
    unknown.length === 0 ? [] : [`${unknown.join(', ')}: requests and time ${unmeasured}; only a run finds out`]
  return [...known, ...rest].join('\n')
}

/** How much of a host's daily budget is left. */
export function budgetText(origin: string, key: string, unitsPerDay: number, spent: number): string {
  const without = key === 'none' ? ' without a key' : ''
  const left = Math.max(0, unitsPerDay - spent)
  return `${origin} grants ${countText(unitsPerDay)} units in 24 hours${without}; ${countText(left)} are left now.`
}
