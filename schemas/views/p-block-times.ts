import { derivedView, viewColumn } from '../../src/define/index.ts'
import { pBlocks } from '../p-blocks.ts'

const block = pBlocks.columns

export const pBlockTimes = derivedView({
  name: 'p_block_times',
  comment: 'One row per block of the P-Chain, each with a time: a block without one gets the last committed time.',
  dependsOn: ['p_blocks', 'p_proposals'],
  columns: {
    network: viewColumn(block.network),
    height: viewColumn(block.height),
    block_id: viewColumn(block.block_id),
    block_type: viewColumn(block.block_type),
    block_time: viewColumn(block.block_time),
    known_time: viewColumn(
      block.block_time,
      'block_time where the block has a valid time (that of an AdvanceTimeTx is valid once committed), otherwise that of the last block before it with one (UTC); null before the first.',
    ),
    carried_forward: { type: 'BOOLEAN', comment: 'Whether known_time is from an earlier block.' },
  },
})
