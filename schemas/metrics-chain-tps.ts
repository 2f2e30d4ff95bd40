import { identity, type RowOf, t } from '../src/define/index.ts'
import { versionColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'
import { evmChainColumns } from './shared/token-columns.ts'

const nullable = { nullable: true } as const

export const metricsChainTps = table({
  name: 'metrics_chain_tps',
  comment: 'Average transactions per second of a chain, one row per point and per value that the point had over time.',
  key: ['network', 'chain_id', 'interval', 'point_time', 'observed_at'],
  sortBy: ['chain_id', 'point_time'],
  partitionBy: [identity('network')],
  history: 'versions',
  notCompared: ['status', 'last_run'],
  columns: {
    ...evmChainColumns,
    interval: t.text('Time between two points: day.'),
    point_time: t.timestamp('Begin of the time that the point is about (UTC).'),
    ...versionColumns,
    metric_value: t.double('Transactions per second on average, as the service rounds it.'),
    status: t.int64('HTTP status that the answer states; null where it states none.', nullable),
    last_run: t.timestamp('When the service last computed points (UTC); null where it does not say it.', nullable),
  },
})
export type MetricsChainTps = RowOf<typeof metricsChainTps>
