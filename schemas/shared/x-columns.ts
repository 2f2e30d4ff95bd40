import { t } from '../../src/define/index.ts'
import { chainColumns } from './chain-columns.ts'

const nullable = { nullable: true } as const

/** First columns of every table of X-Chain transactions; the block is null in rows of the legacy index. */
export const xTransactionColumns = {
  ...chainColumns,
  height: t.int64('Height of the block; null in rows of the legacy index.', nullable),
  block_time: t.timestamp('Time of the block (UTC); null in rows of the legacy index.', nullable),
  tx_index: t.int64('Position of the transaction in its block; null in rows of the legacy index.', nullable),
  tx_id: t.cb58('Id of the transaction.'),
}
