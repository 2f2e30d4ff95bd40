import { type RowOf, t } from '../src/define/index.ts'
import { evmTable, evmTransactionColumns, logIndexColumn } from './shared/evm-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const evmLogs = table({
  name: 'evm_logs',
  comment:
    'One row per log of a transaction of an EVM chain. Logs that a block has outside of its transactions, such as those of Celo before its L2, are left out; a run names them.',
  ...evmTable('transaction_index', 'log_index'),
  lasting: ['transaction_hash', 'address', 'topic0', 'topic1', 'topic2', 'topic3', 'data'],
  numbered: 'log_index',
  unproven: {
    partly: ['log_index', 'transaction_index', 'address', 'topic0', 'topic1', 'topic2', 'topic3', 'data'],
  },
  columns: {
    ...evmTransactionColumns,
    log_index: logIndexColumn,
    address: t.address('Contract that emitted the log.'),
    topic0: t.address('First topic: for most events the hash of their signature.', nullable),
    topic1: t.address('Second topic.', nullable),
    topic2: t.address('Third topic.', nullable),
    topic3: t.address('Fourth topic.', nullable),
    data: t.blob('Data of the log.'),
  },
})
export type EvmLog = RowOf<typeof evmLogs>
