import { identity, month, type RowOf, t } from '../src/define/index.ts'
import { wrapperColumns } from './shared/block-columns.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { table } from './shared/table.ts'

export const xBlocks = table({
  name: 'x_blocks',
  comment: 'One row per accepted block of the X-Chain, or of another chain with the same virtual machine.',
  key: ['network', 'blockchain_id', 'height'],
  sortBy: ['height'],
  partitionBy: [identity('network'), identity('blockchain_id'), month('block_time')],
  columns: {
    ...chainColumns,
    height: t.int64('Height of the block. The genesis block has height 0 and is in no index.'),
    block_id: t.cb58('Id of the inner block (without the proposervm wrapper): sha256 of its bytes.'),
    parent_id: t.cb58('Id of the inner parent block.'),
    block_time: t.timestamp('Time of the block (UTC).', { nullable: true }),
    merkle_root: t.cb58('Merkle root of the block; all zero today.'),
    tx_count: t.int64('Number of transactions in the block.'),
    ...wrapperColumns,
  },
})
export type XBlock = RowOf<typeof xBlocks>
