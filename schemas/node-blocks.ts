import { identity, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { encodingColumn } from './shared/encoded-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const nodeBlocks = table({
  name: 'node_blocks',
  comment: 'Blocks of the P and X chains that a node was asked for by their ids (platform.getBlock, xvm.getBlock).',
  key: ['network', 'blockchain_id', 'block_id'],
  sortBy: ['blockchain_id', 'height'],
  partitionBy: [identity('network')],
  rowGroup: 'raw',
  columns: {
    ...chainColumns,
    block_id: t.cb58('Id of the block.'),
    height: t.int64('Height.'),
    parent_id: t.cb58('Id of the block before it.'),
    block_time: t.timestamp('Time that it states (UTC); null for P blocks of before Banff.', nullable),
    block_type: t.text('Kind of the block, from its bytes; null in JSON, which does not say it.', nullable),
    tx_count: t.int64('Transactions in it.'),
    ...encodingColumn,
    block_bytes: t.blob('Its bytes, whose sha256 is its id; null where JSON was asked for.', nullable),
    block_json: t.text('The block as the node writes it in JSON; null where bytes were asked for.', nullable),
  },
})
export type NodeBlock = RowOf<typeof nodeBlocks>
