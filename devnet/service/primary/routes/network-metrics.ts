import { chainTexts } from '../../../network/genesis.ts'
import type { Rows } from '../../plumbing/pages.ts'
import { between, listRoute, type ServiceRoute, totalsOf } from '../../plumbing/route.ts'
import { idForm, integer, matching, text, wordOf } from '../../plumbing/rules.ts'
import type { PrimaryLedger, PrimaryState } from '../ledger/ledger.ts'
import type { Stake } from '../ledger/model.ts'

const metrics = ['delegatorCount', 'delegatorWeight', 'validatorCount', 'validatorWeight'] as const
type Metric = (typeof metrics)[number]
type Point = { readonly timestamp: number; readonly value: bigint }

const daySeconds = 86_400

/** Numbers and weights (nAVAX) of stakers by UTC day, newest first. Values are whole numbers, also beyond 2^53. */
export function networkMetricRoute(ledger: PrimaryLedger): ServiceRoute {
  return listRoute({
    path: '/v2/networks/{network}/metrics/{metric}',
    host: 'metrics',
    parts: { metric: text({ ...wordOf(metrics), says: `must be one of ${metrics.join(', ')}` }) },
    parameters: {
      startTimestamp: integer({ least: 0 }),
      endTimestamp: integer({ least: 0 }),
      subnetId: text(matching(idForm, 'must be the id of a subnet')),
    },
    pageSize: { default: 100, most: 2160 },
    cost: 'small',
    totals: async () => {
      const state = await ledger.state()
      const points = metrics.flatMap((metric) => pointsOf(state, metric, chainTexts.P))
      return { metrics_network: totalsOf(points, { metric_value: ({ value }) => value }) }
    },
    handle: async ({ parts, query: { startTimestamp, endTimestamp, subnetId = chainTexts.P }, settings }) => {
      const within = between(settings, startTimestamp, endTimestamp)
      const points = pointsOf(await ledger.state(), parts.metric as Metric, subnetId)
      return { items: 'results', rows: exactRows(points.filter(({ timestamp }) => within(timestamp))) }
    },
  })
}

/** The rows of points. Values keep all digits in the JSON text. */
function exactRows(points: readonly Point[]): Rows {
  const textOf = (index: number): string => {
    const { timestamp, value } = points[index]!
    return `{"value":${value},"timestamp":${timestamp}}`
  }
  return { count: points.length, text: textOf, at: (index) => JSON.parse(textOf(index)) as object }
}

/** One point for each UTC day since the first stake, the newest first: the stakers at its end, or now. */
function pointsOf({ stakings, times }: PrimaryState, metric: Metric, subnetId: string): Point[] {
  const isDelegator = metric.startsWith('delegator')
  const stakes = [...stakings.values()].filter(
    (stake) => stake.subnetId === subnetId && (stake.kind === 'delegator') === isDelegator,
  )
  const first = stakes.reduce((least, { start }) => Math.min(least, start), Number.POSITIVE_INFINITY)
  const points: Point[] = []
  for (let day = times.P - (times.P % daySeconds); day + daySeconds > first; day -= daySeconds)
    points.push({ timestamp: day, value: valueAt(stakes, metric, Math.min(day + daySeconds - 1, times.P)) })
  return points
}

function valueAt(stakes: readonly Stake[], metric: Metric, time: number): bigint {
  const present = stakes.filter(({ start, ended }) => start <= time && (ended === null || ended.place.time > time))
  if (metric.endsWith('Count')) return BigInt(present.length)
  return present.reduce((sum, { amount }) => sum + amount, 0n)
}
