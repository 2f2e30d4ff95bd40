import { identity, t } from '../src/define/index.ts'
import { versionColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'
import { evmChainColumns } from './shared/token-columns.ts'

const nullable = { nullable: true } as const

export const metricsChainTps = table({
  name: 'metrics_chain_tps',
  comment: 'Average transactions per second of a chain. One row per point in time; a changed value gets a new row.',
  key: ['network', 'chain_id', 'interval', 'point_time', 'observed_at'],
  sortBy: ['chain_id', 'point_time'],
  partitionBy: [identity('network')],
  history: 'versions',
  notCompared: ['status', 'last_run'],
  streamValues: [{ column: 'interval', parameter: 'interval' }],
  unproven: {
    never: ['observation_id', 'observed_at'],
  },
  columns: {
    ...evmChainColumns,
    interval: t.text('Interval between two points: day.'),
    point_time: t.timestamp('Start of the interval of the point (UTC).').at('timestamp'),
    ...versionColumns,
    metric_value: t.double('Average transactions per second, rounded by the service.').at('value'),
    status: t
      .int64('HTTP status in the body of the answer; null where there is none.', nullable)
      .at('/status')
      .unproven(),
    last_run: t
      .timestamp('When the service last computed the points (UTC); null where it leaves that out.', nullable)
      .at('/lastRun')
      .unproven(),
  },
})
