import { nullable, t } from '../src/define/index.ts'
import { evmChainColumns, observationColumns, versionColumns } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

export const metricsTokenHolders = table({
  name: 'metrics_token_holders',
  comment:
    'Addresses that held more than a threshold of a token within a time window. One row per address and observation.',
  key: [
    'network',
    'chain_id',
    'token_address',
    'balance_threshold',
    'window_start',
    'window_end',
    'observation_id',
    'address',
  ],
  sortBy: ['chain_id', 'token_address', 'address'],
  history: 'observations',
  columns: {
    ...evmChainColumns,
    token_address: t.address('Contract of the token.'),
    balance_threshold: t.text('Threshold that the balance exceeds, in the least unit of the token.'),
    window_start: t.timestamp('Start of the window (UTC); null: unbounded.', nullable).unproven(),
    window_end: t.timestamp('End of the window (UTC); null: unbounded.', nullable).unproven(),
    ...observationColumns,
    address: t.address('Address of the holder.').at('address').unproven(),
    balance: t
      .decimal38('Latest balance in the least unit of the token; null when it has more than 38 digits.', nullable)
      .at('sortKey', 'digits')
      .partlyUnproven(),
    balance_raw: t
      .text('Latest balance in the least unit of the token, as text with all digits, as the service returned it.')
      .partlyUnproven(),
  },
})

export const metricsChainTps = table({
  name: 'metrics_chain_tps',
  comment: 'Average transactions per second of a chain. One row per point in time; a changed value gets a new row.',
  key: ['network', 'chain_id', 'interval', 'point_time', 'observed_at'],
  sortBy: ['chain_id', 'point_time'],
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

export const metricsChainPoints = table({
  name: 'metrics_chain_points',
  comment:
    'Metrics of EVM chains over time, such as active addresses and fees. One row per metric, interval and point in time; a changed value gets a new row.',
  key: ['network', 'chain_id', 'metric', 'interval', 'point_time', 'observed_at'],
  sortBy: ['chain_id', 'metric', 'point_time'],
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
