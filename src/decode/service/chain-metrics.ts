import type { metricsChainPoints } from '../../../schemas/metrics-chain-points.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import { answerObject, finish, nextPageToken, objects, optionalText, required } from '../json/fields.ts'
import { fraction, seconds, time } from '../json/number-fields.ts'
import type { EvmPlace } from '../json/token-fields.ts'

/** The chain, metric and interval of a series. */
type MetricOf = EvmPlace & { readonly metric: string; readonly interval: string }

/** Reads a page of the points of a metric, newest point first. */
export function decodeChainMetric(series: MetricOf) {
  return (answer: unknown, context: ReadingContext): Page<{ points: typeof metricsChainPoints }> => {
    const at = answerObject(answer, 'answer', context)
    const read = objects(at, 'results', (point) => ({
      seconds: seconds(point, 'timestamp'),
      row: {
        network: series.network,
        chain_id: series.chainId,
        metric: series.metric,
        interval: series.interval,
        point_time: time(point, 'timestamp'),
        observation_id: context.observationId,
        observed_at: context.observedAt,
        version_hash: '',
        metric_value: fraction(point, 'value'),
        metric_value_raw: required(optionalText(point, 'value'), point, 'value'),
      },
    }))
    const next = nextPageToken(at)
    finish(at)
    const items = read.map(({ seconds }) => ({ key: String(seconds), time: seconds }))
    return { rows: { points: read.map(({ row }) => row) }, items, next }
  }
}
