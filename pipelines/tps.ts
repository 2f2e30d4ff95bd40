import { metricsChainTps } from '../schemas/metrics.ts'
import { errorAnswer } from '../src/decode/list-reader.ts'
import { succeeded } from '../src/define/connection.ts'
import { p, pipeline, serviceStream } from '../src/define/index.ts'
import { serviceRoute } from '../src/sources/service-routes.ts'
import { pointList, pointSeries, seriesParameters } from './chain-metrics.ts'
import { network, pageSize, parameterError } from './shared/parameters.ts'
import { listOf, onEvmChain } from './shared/service.ts'

/**
 * The path is a setting of the profile: `/v1/avg_tps/{chainId}` in the specification, another one today. The cost is that of today's path,
 * `/v2/chains/{chainId}/metrics/{metric}`; the provider lists no cost for the old one.
 */
export const tpsRoute = { ...serviceRoute('/v1/avg_tps/{chainId}', 'medium', null), host: 'metrics' } as const

/**
 * Average transactions per second, newest point first (specification 2.11 and 4.9). The current route states no status. The other one states
 * the HTTP status in the body: with that of a failure, the points of the answer would look like all that there are.
 */
export const tpsList = pointList(metricsChainTps, {
  ofAnswer(_, { status }) {
    if (status === null || succeeded(status as number)) return {}
    throw errorAnswer('status', String(status))
  },
})

/** Seconds between the points of a series. */
const seconds = { day: 86_400 } as const

/** The largest page of the current route; the route of the specification has no page size. */
const mostPoints = 2160

export const tpsPipeline = pipeline({
  name: 'tps',
  comment: 'Average transactions per second of chains, from the metrics host.',
  parameters: {
    network,
    'chain-id': p.text.required(
      'EVM chain id, such as 43114; where the host knows them also total, mainnet, testnet.',
      {
        example: '43114',
      },
    ),
    interval: p.text('Time between two points: day, which is also the default.', { choices: Object.keys(seconds) }),
    ...seriesParameters,
    'page-size': pageSize(mostPoints),
  },
  tables: { points: metricsChainTps },
  reads: 'service',
  walks: ['series'],
  streams: (given, facts) =>
    onEvmChain(given, facts, (values) => {
      const settings = facts.service
      const { network, 'chain-id': chainId } = values
      const interval = (values.interval ?? 'day') as keyof typeof seconds
      const { 'start-timestamp': startTimestamp, 'end-timestamp': endTimestamp, 'page-size': pageSize } = values
      const bounded = isMetricRoute(settings.tpsPath)
      const route = { ...tpsRoute, path: settings.tpsPath, mostItems: bounded ? mostPoints : null }
      const needless = (['start-timestamp', 'end-timestamp', 'page-size'] as const).find(
        (name) => values[name] !== undefined,
      )
      if (!bounded && needless !== undefined)
        throw parameterError(
          `The route ${settings.tpsPath} of the profile takes no start-timestamp, end-timestamp or page-size.`,
          'Leave them out, or set the TPS path of the profile to /v2/chains/{chainId}/metrics/avgTps.',
        )
      const query = bounded ? { startTimestamp, endTimestamp, timeInterval: interval, pageSize } : {}
      return [
        {
          stream: serviceStream(network, 'tps', { interval }, chainId),
          walk: pointSeries(values, seconds[interval], (requested) =>
            listOf(route, { chainId }, query, tpsList({ network, chain_id: chainId, interval }), requested),
          ),
        },
      ]
    }),
})

/** Whether a path is the current route of any metric, which accepts bounds and page sizes, and not `/v1/avg_tps/{chainId}`. */
function isMetricRoute(path: string): boolean {
  return path.includes('/metrics/')
}
