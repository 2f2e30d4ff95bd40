import { metricsChainPoints } from '../schemas/metrics-chain-points.ts'
import { listReader, secondsOf } from '../src/decode/list-reader.ts'
import { type Interval, p, pipeline, type Requested, serviceStream } from '../src/define/index.ts'
import { serviceRoute } from '../src/sources/service-routes.ts'
import { onEvmChain } from './shared/evm-chain-id.ts'
import { lakeNetwork } from './shared/lake-network.ts'
import { parameterError } from './shared/parameter-error.ts'
import { genesisTime } from './shared/primary-network.ts'
import { listOf, mustBeRange } from './shared/service-job.ts'
import { endTimestamp, network, pageSize, startTimestamp, unitPages } from './shared/service-parameters.ts'

/** The points of a metric, newest point first. */
export const chainMetricsList = listReader({
  tables: { points: metricsChainPoints },
  items: 'results',
  key: ({ point_time }) => String(secondsOf(point_time)),
  time: 'point_time',
})

const day = 86_400

/** Intervals of the calendar in UTC. */
const intervals = { hour: 3600, day, week: 7 * day, month: 'month' } as const satisfies Record<string, Interval>
type IntervalName = keyof typeof intervals

const metrics = [
  'activeAddresses',
  'activeSenders',
  'cumulativeTxCount',
  'cumulativeAddresses',
  'cumulativeContracts',
  'cumulativeDeployers',
  'contracts',
  'deployers',
  'gasUsed',
  'txCount',
  'avgGps',
  'maxGps',
  'avgTps',
  'maxTps',
  'avgGasPrice',
  'maxGasPrice',
  'feesPaid',
] as const

/** Metrics that the service has by day only. */
const byDay = /^(avg|max|cumulative)/

export const chainMetricsRoute = {
  ...serviceRoute('/v2/chains/{chainId}/metrics/{metric}', 'medium', 2160),
  host: 'metrics',
} as const
export const chainMetricsPipeline = pipeline({
  name: 'chain-metrics',
  comment:
    'Metrics of chains by hour, day, week or month, such as active addresses, gas and fees, from the metrics host.',
  parameters: {
    network,
    'chain-id': p.text.required('EVM chain id, such as 43114; the host also knows total, mainnet and testnet.', {
      example: '43114',
    }),
    metrics: p.list('Metrics to read (default: all that the interval has).', { choices: metrics }),
    interval: p.text(
      'Time between two points (default: day). Metrics that begin with avg, max or cumulative have points by day only.',
      { choices: Object.keys(intervals) },
    ),
    again: p.whole('Newest known points to read again, since they still change (default: 3).'),
    'start-timestamp': startTimestamp,
    'end-timestamp': endTimestamp,
    'page-size': pageSize(chainMetricsRoute.mostItems),
    'unit-pages': unitPages,
  },
  tables: { points: metricsChainPoints },
  reads: 'service',
  walks: ['series'],
  streams: (given, facts) =>
    onEvmChain(given, facts, (values) => {
      const network = lakeNetwork(values.network)
      const { 'chain-id': chainId, again = 3, 'page-size': pageSize = chainMetricsRoute.mostItems } = values
      const interval = (values.interval ?? 'day') as IntervalName
      const { 'start-timestamp': startTimestamp, 'end-timestamp': endTimestamp } = values
      mustBeRange(['start-timestamp', startTimestamp], ['end-timestamp', endTimestamp])
      return metricsOf(values.metrics, interval).map((metric) => ({
        stream: serviceStream(network, 'chain-metrics', { metric, interval }, chainId),
        walk: {
          kind: 'series',
          list: listOf(
            chainMetricsRoute,
            { chainId, metric },
            { startTimestamp, endTimestamp, timeInterval: interval, pageSize },
            chainMetricsList({ network, chain_id: chainId, metric, interval }),
            requestedPoints(startTimestamp, endTimestamp, interval),
          ),
          from: startTimestamp ?? genesisTime,
          interval: intervals[interval],
          again,
        },
      }))
    }),
})

function metricsOf(named: readonly string[] | undefined, interval: IntervalName): readonly string[] {
  const has = (metric: string) => interval === 'day' || !byDay.test(metric)
  const missing = named?.find((metric) => !has(metric))
  if (missing !== undefined)
    throw parameterError(
      `The service has ${missing} by day only, not by ${interval}.`,
      `Set interval to day, or leave ${missing} out of metrics.`,
    )
  if (named?.length === 0)
    throw parameterError('The job reads no metric: metrics is empty.', 'Name one, or leave metrics out.')
  return named ?? metrics.filter(has)
}

const longestMonth = 31 * day

/** Points in the requested time range. The first and the last interval may begin outside of it. */
function requestedPoints(from = 0, to = Number.MAX_SAFE_INTEGER, interval: IntervalName): Requested {
  const length = interval === 'month' ? longestMonth : intervals[interval]
  const slice = { from: from - length, to: to + length }
  return { range: { column: 'point_time', holds: 'times', slice, margin: { before: 0, after: 0 } } }
}
