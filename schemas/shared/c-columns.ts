import { t } from '../../src/define/index.ts'
import { chainColumns } from './chain-columns.ts'

/** First columns of every table of C-Chain blocks. */
export const cBlockColumns = {
  ...chainColumns,
  block_number: t.int64('Number of the block. The genesis block has number 0 and is in no index.'),
  block_time: t.timestamp('Time of the block (UTC), with milliseconds where the header has them.', { nullable: true }),
}

/** First columns of every table of atomic transactions of the C-Chain. */
export const cAtomicColumns = {
  ...cBlockColumns,
  tx_index: t.int64('Position among the atomic transactions of the block.'),
  tx_id: t.cb58('Id of the atomic transaction. Not unique: a few early blocks of mainnet repeat some.'),
}
