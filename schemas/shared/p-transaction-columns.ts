import { t } from '../../src/define/index.ts'
import { networkColumn, pBlockTimeColumn } from './block-columns.ts'

/** What every row of a P-chain transaction begins with. */
export const pTransactionColumns = {
  ...networkColumn,
  height: t.int64('Height of the block.'),
  ...pBlockTimeColumn,
  tx_index: t.int64('Position of the transaction in its block; the proposed one of a proposal block is last.'),
  tx_id: t.cb58('Id of the transaction; not unique: an aborted AdvanceTimeTx can come again.'),
}
