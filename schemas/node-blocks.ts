import { identity, type RowOf, t } from '../src/define/index.ts'
import { chainColumns } from './shared/chain-columns.ts'
import { encodingColumn } from './shared/encoded-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const nodeBlocks = table({
  name: 'node_blocks',
  comment:
    'One row per block of the P- or X-Chain that was requested from a node by its id (platform.getBlock, xvm.getBlock).',
  key: ['network', 'blockchain_id', 'block_id'],
  sortBy: ['blockchain_id', 'height'],
  partitionBy: [identity('network')],
  rowGroup: 'raw',
  unproven: {
    partly: ['blockchain_id'],
  },
  columns: {
    ...chainColumns,
    block_id: t.cb58('Id of the block.'),
    height: t.int64('Height of the block.').partlyUnproven(),
    parent_id: t.cb58('Id of the parent block.'),
    block_time: t
      .timestamp('Time of the block (UTC); null for P-Chain blocks before Banff.', nullable)
      .partlyUnproven(),
    block_type: t.text('Kind of the block, from its bytes; null for JSON, which does not contain it.', nullable),
    tx_count: t.int64('Number of transactions in the block.'),
    ...encodingColumn,
    block_bytes: t.blob('Bytes of the block; their sha256 is its id; null where JSON was requested.', nullable),
    block_json: t
      .text('The block as JSON, as the node returns it; null where bytes were requested.', nullable)
      .partlyUnproven(),
  },
})
export type NodeBlock = RowOf<typeof nodeBlocks>
