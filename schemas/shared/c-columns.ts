import { t } from '../../src/define/index.ts'
import { chainColumns } from './chain-columns.ts'

/** What every row of a C-chain block begins with. */
export const cBlockColumns = {
  ...chainColumns,
  block_number: t.int64('Number of the block; the genesis block is 0 and in no index.'),
  block_time: t.timestamp('Time of the block (UTC), in milliseconds where the header has them.', { nullable: true }),
}

/** What every row of an atomic transaction of the C chain begins with. */
export const cAtomicColumns = {
  ...cBlockColumns,
  tx_index: t.int64('Position among the atomic transactions of the block.'),
  tx_id: t.cb58('Id of the atomic transaction; a few early blocks of mainnet repeat some.'),
}
