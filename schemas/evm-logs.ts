import { type RowOf, t } from '../src/define/index.ts'
import { evmTable, evmTransactionColumns, logIndexColumn } from './shared/evm-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const evmLogs = table({
  name: 'evm_logs',
  comment:
    'One row per log of a transaction of an EVM chain. Logs that a block has outside of its transactions, such as those of Celo before its L2, are left out; a run names them.',
  ...evmTable('transaction_index', 'log_index'),
  lasting: ['transaction_hash'],
  numbered: 'log_index',
  unproven: {
    partly: ['log_index', 'transaction_index'],
  },
  columns: {
    ...evmTransactionColumns,
    log_index: logIndexColumn,
    address: t.address('Contract that emitted the log.').lasting().partlyUnproven(),
    topic0: t.address('First topic: for most events the hash of their signature.', nullable).lasting().partlyUnproven(),
    topic1: t.address('Second topic.', nullable).lasting().partlyUnproven(),
    topic2: t.address('Third topic.', nullable).lasting().partlyUnproven(),
    topic3: t.address('Fourth topic.', nullable).lasting().partlyUnproven(),
    data: t.blob('Data of the log.').lasting().partlyUnproven(),
  },
})
export type EvmLog = RowOf<typeof evmLogs>
