import { t } from '../../src/define/index.ts'
import { evmTransactionColumns } from './evm-columns.ts'

/** First columns of every table of events. */
export const eventColumns = {
  ...evmTransactionColumns,
  log_index: t.int64('Position of the log among all logs of the block.'),
  contract: t.address('Contract that emitted the log; for a proxy the address of the proxy.'),
}
