import { identity, t } from '../src/define/index.ts'
import { versionColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'
import { evmChainColumns } from './shared/token-columns.ts'

export const metricsChainPoints = table({
  name: 'metrics_chain_points',
  comment:
    'Metrics of EVM chains over time, such as active addresses and fees. One row per metric, interval and point in time; a changed value gets a new row.',
  key: ['network', 'chain_id', 'metric', 'interval', 'point_time', 'observed_at'],
  sortBy: ['chain_id', 'metric', 'point_time'],
  partitionBy: [identity('network')],
  history: 'versions',
  streamValues: [
    { column: 'metric', parameter: 'metric' },
    { column: 'interval', parameter: 'interval' },
  ],
  unproven: { never: ['observation_id', 'observed_at'] },
  columns: {
    ...evmChainColumns,
    metric: t.text('Name of the metric in the service, such as activeAddresses or feesPaid.'),
    interval: t.text('Interval between two points: hour, day, week or month.'),
    point_time: t.timestamp('Start of the interval of the point (UTC).').at('timestamp'),
    ...versionColumns,
    metric_value: t
      .double('Value of the metric. Its unit depends on the metric: counts, gas, gas per second, wei.')
      .at('value'),
    metric_value_raw: t
      .text('The same as text: whole numbers with all digits, others as the service rounded them.')
      .at('value'),
  },
})
