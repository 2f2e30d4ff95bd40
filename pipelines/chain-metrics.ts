import { metricsChainPoints } from '../schemas/metrics.ts'
import { type ListDeclaration, listReader, secondsOf } from '../src/decode/list-reader.ts'
import { type List, p, pipeline, type Requested, type Series, serviceStream, type Table } from '../src/define/index.ts'
import { serviceRoute } from '../src/sources/service-routes.ts'
import { endTimestamp, mustBeRange, network, pageSize, parameterError, startTimestamp } from './shared/parameters.ts'
import { day, genesisTime, listOf, onEvmChain } from './shared/service.ts'

/** A list of points, newest point first. `more` is what the list adds. */
export function pointList<T extends Table>(table: T, more: Pick<ListDeclaration<{ points: T }>, 'ofAnswer'> = {}) {
  return listReader({
    ...more,
    tables: { points: table },
    items: 'results',
    key: ({ point_time }) => String(secondsOf(point_time)),
    time: 'point_time',
  })
}

/** Parameters of a job that reads series of points. */
export const seriesParameters = {
  again: p.whole('Newest known points to read again, since they still change (default: 3).'),
  'start-timestamp': startTimestamp,
  'end-timestamp': endTimestamp,
}

type SeriesValues = { readonly again: number | undefined } & {
  readonly [K in 'start-timestamp' | 'end-timestamp']: number | undefined
}

const longestMonth = 31 * day

/** The series of a job. `list` makes its list; the first and the last interval may begin outside of the requested time. */
export function pointSeries(
  values: SeriesValues,
  interval: Series['interval'],
  list: (requested: Requested) => List,
): Series {
  const { again = 3, 'start-timestamp': start, 'end-timestamp': end } = values
  mustBeRange(['start-timestamp', start], ['end-timestamp', end])
  const length = interval === 'month' ? longestMonth : interval
  const slice = { from: (start ?? 0) - length, to: (end ?? Number.MAX_SAFE_INTEGER) + length }
  const range = { column: 'point_time', holds: 'times', slice, margin: { before: 0, after: 0 } } as const
  return { kind: 'series', list: list({ range }), from: start ?? genesisTime, interval, again }
}

export const chainMetricsList = pointList(metricsChainPoints)

/** Intervals of the calendar in UTC. */
const intervals = { hour: 3600, day, week: 7 * day, month: 'month' } as const satisfies Record<
  string,
  Series['interval']
>
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
    ...seriesParameters,
    'page-size': pageSize(chainMetricsRoute.mostItems),
  },
  tables: { points: metricsChainPoints },
  reads: 'service',
  walks: ['series'],
  streams: (given, facts) =>
    onEvmChain(given, facts, (values) => {
      const { network, 'chain-id': chainId, 'page-size': pageSize } = values
      const interval = (values.interval ?? 'day') as IntervalName
      const { 'start-timestamp': startTimestamp, 'end-timestamp': endTimestamp } = values
      return metricsOf(values.metrics, interval).map((metric) => ({
        stream: serviceStream(network, 'chain-metrics', { metric, interval }, chainId),
        walk: pointSeries(values, intervals[interval], (requested) =>
          listOf(
            chainMetricsRoute,
            { chainId, metric },
            { startTimestamp, endTimestamp, timeInterval: interval, pageSize },
            chainMetricsList({ network, chain_id: chainId, metric, interval }),
            requested,
          ),
        ),
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
