import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { networkColumn, pBlockTimeColumn, wrapperColumns } from './shared/block-columns.ts'
import { table } from './shared/table.ts'

export const pBlocks = table({
  name: 'p_blocks',
  comment: 'One row per accepted P-Chain block.',
  key: ['network', 'height'],
  sortBy: ['height'],
  partitionBy: [identity('network'), month('block_time')],
  columns: {
    ...networkColumn,
    height: t.int64('Height of the block. The genesis block has height 0 and is in no index.'),
    block_id: t.cb58('Id of the inner block (without the proposervm wrapper): sha256 of its bytes.'),
    parent_id: t.cb58('Id of the inner parent block.'),
    block_type: t.text('Kind of the block, as named in avalanchego, such as BanffStandardBlock.'),
    ...pBlockTimeColumn,
    tx_count: t.int64('Number of transactions in the block, including the proposed one.'),
    ...wrapperColumns,
  },
})
export type PBlock = RowOf<typeof pBlocks>
