import { type RowOf, t } from '../src/define/index.ts'
import { eventColumns } from './shared/event-columns.ts'
import { evmTable } from './shared/evm-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const evmEventFailures = table({
  name: 'evm_event_failures',
  comment:
    'One row per log that has the topics of an event of evm-events but other data than its ABI allows, with the raw log. Such a log is in no table of events.',
  ...evmTable('transaction_index', 'log_index', 'table_name'),
  lasting: ['transaction_hash', 'contract'],
  numbered: 'log_index',
  unproven: {
    partly: [
      ...(['block_time', 'transaction_index', 'transaction_hash', 'log_index', 'contract'] as const),
      ...(['reason', 'parameter', 'topic0', 'topic1', 'topic2', 'topic3', 'data'] as const),
    ],
  },
  columns: {
    ...eventColumns,
    table_name: t.text('The table of the event, which does not have the log.').partlyUnproven(),
    reason: t.text(
      'short_data, trailing_data, dirty_padding, invalid_utf8, wrong_offset (an offset or a length beyond the data), or overlapping_data (parts of the data are used twice).',
    ),
    parameter: t.text('Column of the parameter that cannot be decoded; null for the data as a whole.', nullable),
    topic0: t.address('First topic: for most events the hash of their signature.', nullable).lasting(),
    topic1: t.address('Second topic.', nullable).lasting(),
    topic2: t.address('Third topic.', nullable).lasting(),
    topic3: t.address('Fourth topic.', nullable).lasting(),
    data: t.blob('Data of the log.').lasting(),
  },
})
export type EvmEventFailure = RowOf<typeof evmEventFailures>
