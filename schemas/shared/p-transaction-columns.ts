import { t } from '../../src/define/index.ts'
import { networkColumn, pBlockTimeColumn } from './block-columns.ts'

/** First columns of every table of P-Chain transactions. */
export const pTransactionColumns = {
  ...networkColumn,
  height: t.int64('Height of the block.'),
  ...pBlockTimeColumn,
  tx_index: t.int64(
    'Position of the transaction in its block; the proposed transaction of a proposal block is the last.',
  ),
  tx_id: t.cb58('Id of the transaction. Not unique: an aborted AdvanceTimeTx can be proposed again.'),
}
