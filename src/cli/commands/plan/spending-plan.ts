import type { LakeStatus, StreamStatus } from '../../../catalog/catalog.ts'
import type { Question, ServiceWalk, StreamDeclaration } from '../../../define/index.ts'
import { streamId } from '../../../model.ts'
import { type LastMeasure, secondsFor } from '../../../run/status/last-measure.ts'
import type { ServiceProfile } from '../../../sources/service-profile.ts'
import { formatCount, formatSeconds } from '../../terminal/format.ts'

/** What a job costs at a service or a node, as far as that is known before it asks. */
export type Spending = {
  readonly host: Question['host']
  /** Null: only a run finds out. */
  readonly requests: number | null
  /** Lists have at least a page each; of keys those that have an answer already are not asked; `about`: as many as the last run had. */
  readonly bound: 'at least' | 'at most' | 'about'
  /** Compute units; null where requests are, and at a node, which counts none. */
  readonly units: number | null
  /** What the host grants in a day; null: not counted. */
  readonly unitsPerDay: number | null
  /** Days that the units take; null where they or the day's are not known. */
  readonly days: number | null
  /** At the pace of the last run of the job, else of its pipeline; null: unknown, it was never run on this lake. */
  readonly seconds: number | null
}

/** What of a profile says the cost. */
export type Costs = Pick<ServiceProfile, 'weights' | 'unitsPerDay'>

type Asked = {
  readonly requests: number | null
  readonly bound: Spending['bound']
  readonly request: Question | null
}

/** What a job would spend; null for one that asks nothing. */
export function planSpending(
  streams: readonly StreamDeclaration[],
  { weights, unitsPerDay }: Costs,
  status: LakeStatus | null,
  measure: LastMeasure | null = null,
): Spending | null {
  const asked = streams.flatMap(({ stream, walk }) => {
    const id = streamId(stream)
    const known = status?.streams.find((one) => one.stream === id) ?? null
    return walk.kind === 'range' ? [] : [askedBy(walk, known)]
  })
  const first = asked.find(({ request }) => request !== null)
  if (first?.request == null) return null
  const { request } = first
  const foreseen = asked.reduce<number | null>(
    (sum, one) => (sum === null || one.requests === null ? null : sum + one.requests),
    0,
  )
  // Of keys it is known how many there are; lists are expected to take what they took.
  const isLikeLast = measure?.own === true && measure.requests > 0 && first.bound !== 'at most'
  const requests = isLikeLast ? Math.max(foreseen ?? 0, measure.requests) : foreseen
  const bound = isLikeLast ? 'about' : first.bound
  const seconds = requests === null ? null : secondsFor(requests, 'requests', measure)
  if (request.host === 'node')
    return { host: 'node', requests, bound, units: null, unitsPerDay: null, days: null, seconds }
  const { host, weight } = request
  const units = requests === null ? null : requests * weights[host][weight]
  const perDay = unitsPerDay[host]
  const days = units === null || perDay === null ? null : units / perDay
  return { host, requests, bound, units, unitsPerDay: perDay, days, seconds }
}

function askedBy(walk: ServiceWalk, known: StreamStatus | null): Asked {
  if ('keys' in walk) return { requests: walk.keys.length, bound: 'at most', request: walk.keys[0]?.request ?? null }
  if ('subjects' in walk) {
    const lists = walk.subjects.flatMap((subject) => subject.lists)
    const request = lists[0]?.request(null) ?? null
    return { requests: Math.max(lists.length, pagesOf(request, known)), bound: 'at least', request }
  }
  if (!('head' in walk)) return { requests: null, bound: 'at least', request: walk.list.request(null) }
  const { request } = walk.list({ from: walk.from, to: walk.from + 1 })
  // A range that was never read is asked for whole. Of one that was, the head says whether there is more.
  const isAskedWhole = known === null && walk.kind !== 'heightRange'
  return { requests: isAskedWhole ? 1 : null, bound: 'at least', request: request(null) }
}

/** Pages of the last reading, by the rows that the lake has of it. */
function pagesOf(request: Question | null, known: StreamStatus | null): number {
  const size = Number(request === null ? Number.NaN : itemsAPage(request))
  const readings = known?.observations?.complete ?? 0
  if (known === null || readings === 0 || !(size > 0)) return 0
  const rows = known.tables.filter(({ table }) => table !== 'observations').reduce((sum, table) => sum + table.rows, 0)
  return Math.ceil(rows / readings / size)
}

function itemsAPage(request: Question): unknown {
  if (request.host !== 'node') return request.query['pageSize']
  return 'params' in request && 'limit' in request.params ? request.params['limit'] : undefined
}

/** What is said where only a run tells. */
export const neverRun = 'unknown: never run'

/** A line for each job whose requests are known, and one for the others. */
export function spendingText(spendings: readonly { readonly job: string; readonly spending: Spending }[]): string {
  const known = spendings.flatMap(({ job, spending: { requests, bound, units, days, seconds } }) => {
    if (requests === null) return []
    const long = days !== null && days > 1 ? `: ${Math.ceil(days)} days of the budget` : ''
    const cost = units === null ? '' : `, ${formatCount(units)} units${long}`
    const time = seconds === null ? `time ${neverRun}` : `about ${formatSeconds(seconds)}`
    return [`${job}: ${bound} ${formatCount(requests)} ${requests === 1 ? 'request' : 'requests'}${cost}, ${time}`]
  })
  const unknown = spendings.flatMap(({ job, spending }) => (spending.requests === null ? [job] : []))
  const rest =
    unknown.length === 0 ? [] : [`${unknown.join(', ')}: requests and time ${neverRun}; only a run finds out`]
  return [...known, ...rest].join('\n')
}

/** What is left of the day's units of a host. */
export function budgetText(origin: string, key: string, unitsPerDay: number, spent: number): string {
  const whose = key === 'none' ? ' without a key' : ''
  const left = Math.max(0, unitsPerDay - spent)
  return `${origin} grants ${formatCount(unitsPerDay)} units in 24 hours${whose}; ${formatCount(left)} are left now.`
}
