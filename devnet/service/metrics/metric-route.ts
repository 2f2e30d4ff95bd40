import type { EvmLedger } from '../evm/state.ts'
import {
  between,
  choice,
  integer,
  listRoute,
  ServiceError,
  type ServiceRoute,
  text,
  totalsOf,
} from '../plumbing/index.ts'
import { intervals } from './spans.ts'
import { type ChainMetric, chainMetrics, metricPoints } from './values.ts'

/** Metrics that the service has by day only. */
const byDay = /^(avg|max|cumulative)/

/** Metrics of the C-Chain over time, newest first. */
export function metricRoute(ledger: EvmLedger): ServiceRoute {
  return listRoute({
    path: '/v2/chains/{chainId}/metrics/{metric}',
    host: 'metrics',
    parts: {
      metric: text(
        {
          read: (given) => chainMetrics.find((metric) => metric === given) ?? null,
          says: `must be one of the following values: ${chainMetrics.join(', ')}`,
        },
        { required: true },
      ),
    },
    parameters: {
      startTimestamp: integer({ least: 0 }),
      endTimestamp: integer({ least: 0 }),
      timeInterval: choice(intervals),
    },
    pageSize: { default: 100, most: 2160 },
    cost: 'medium',
    totals: async () => {
      const state = await ledger.atHead()
      // Every metric by day.
      return { metrics_chain_points: totalsOf(chainMetrics.flatMap((metric) => metricPoints(state, metric, 'day'))) }
    },
    handle: async ({ parts, query: { startTimestamp, endTimestamp, timeInterval = 'day' }, settings }) => {
      const metric = parts.metric as ChainMetric
      if (timeInterval !== 'day' && byDay.test(metric))
        throw ServiceError.invalid([`timeInterval must be day for ${metric}`])
      const within = between(settings, startTimestamp, endTimestamp)
      const points = metricPoints(await ledger.atHead(), metric, timeInterval)
      return { items: 'results', rows: points.filter(({ timestamp }) => within(timestamp)) }
    },
  })
}
