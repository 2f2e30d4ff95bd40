import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { networkColumn, pBlockTimeColumn, wrapperColumns } from './shared/block-columns.ts'
import { table } from './shared/table.ts'

export const pBlocks = table({
  name: 'p_blocks',
  comment: 'One row per accepted P-chain block.',
  key: ['network', 'height'],
  sortBy: ['height'],
  partitionBy: [identity('network'), month('block_time')],
  columns: {
    ...networkColumn,
    height: t.int64('Height, counted from the genesis block at 0, which no index holds.'),
    block_id: t.cb58('Id of the inner block: sha256 of its bytes.'),
    parent_id: t.cb58('Id of the inner parent block.'),
    block_type: t.text('Kind of the block by its name in the node, such as BanffStandardBlock.'),
    ...pBlockTimeColumn,
    tx_count: t.int64('Transactions in the block, the proposed one included.'),
    ...wrapperColumns,
  },
})
export type PBlock = RowOf<typeof pBlocks>
