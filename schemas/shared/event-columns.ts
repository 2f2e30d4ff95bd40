import { t } from '../../src/define/index.ts'
import { evmTransactionColumns, logIndexColumn } from './evm-columns.ts'

/** First columns of every table of events. */
export const eventColumns = {
  ...evmTransactionColumns,
  log_index: logIndexColumn,
  contract: t.address('Contract that emitted the log; for a proxy the address of the proxy.'),
}
