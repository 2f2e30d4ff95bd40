import { derivedView, viewColumn } from '../../src/define/index.ts'
import { pBlocks } from '../p-blocks.ts'

const block = pBlocks.columns

export const pBlockTimes = derivedView({
  name: 'p_block_times',
  comment: 'One row per block with a time for each: blocks that state none carry the last committed time forward.',
  dependsOn: ['p_blocks', 'p_proposals'],
  columns: {
    network: viewColumn(block.network),
    height: viewColumn(block.height),
    block_id: viewColumn(block.block_id),
    block_type: viewColumn(block.block_type),
    block_time: viewColumn(block.block_time),
    known_time: viewColumn(
      block.block_time,
      'block_time where the block states a time that holds (that of an AdvanceTimeTx holds once it is committed), else the last one before it (UTC); null before the first.',
    ),
    carried_forward: { type: 'BOOLEAN', comment: 'Whether known_time comes from an earlier block.' },
  },
})
