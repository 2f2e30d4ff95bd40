import type { metricsChainTps } from '../../../schemas/metrics-chain-tps.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import { answerObject, finish, nextPageToken, objects } from '../json/fields.ts'
import { fraction, optionalCount, optionalTime, seconds, time } from '../json/number-fields.ts'
import type { EvmPlace } from '../json/token-fields.ts'

/** The chain of a series, and the name of the interval between its points: `day`. */
type SeriesOf = EvmPlace & { readonly interval: string }

/** Reads a page of average transactions per second, newest point first (specification 2.11 and 4.9). The current route states no status. */
export function decodeChainTps(series: SeriesOf) {
  return (answer: unknown, context: ReadingContext): Page<{ points: typeof metricsChainTps }> => {
    const at = answerObject(answer, 'answer', context)
    const status = optionalCount(at, 'status')
    const last_run = optionalTime(at, 'lastRun')
    const points = objects(at, 'results', (point) => ({
      network: series.network,
      chain_id: series.chainId,
      interval: series.interval,
      point_time: time(point, 'timestamp'),
      observation_id: context.observationId,
      observed_at: context.observedAt,
      version_hash: '',
      metric_value: fraction(point, 'value'),
      status,
      last_run,
    }))
    const items = objects(at, 'results', (point) => {
      const pointTime = seconds(point, 'timestamp')
      return { key: String(pointTime), time: pointTime }
    })
    const next = nextPageToken(at)
    finish(at)
    return { rows: { points }, items, next }
  }
}
