import { identity, month, t } from '../src/define/index.ts'
import { networkColumn } from './shared/block-columns.ts'
import { chainNameColumn } from './shared/service-columns.ts'
import { table } from './shared/table.ts'

const nullable = { nullable: true } as const

export const restNodeBlocks = table({
  name: 'rest_node_blocks',
  comment: 'One row per block of the Primary Network that a watched node proposed.',
  key: ['network', 'node_id', 'blockchain_id', 'height'],
  sortBy: ['node_id', 'height'],
  partitionBy: [identity('network'), month('block_time')],
  rowGroup: 'nested',
  streamValues: [{ column: 'node_id', parameter: 'nodeId' }],
  unproven: {
    never: ['chain_name'],
  },
  columns: {
    ...networkColumn,
    node_id: t.address('Node id in the request.'),
    blockchain_id: t.address('Id of the chain.'),
    height: t.int64('Height of the block.').at('blockNumber').partlyUnproven(),
    block_time: t.timestamp('Time of the block (UTC).').at('blockTimestamp').lasting().partlyUnproven(),
    block_id: t.cb58('Id of the block, as the service returns it.').at('blockHash').lasting().partlyUnproven(),
    parent_id: t.cb58('Id of the parent block.').at('parentHash').lasting().partlyUnproven(),
    block_type: t.text('Kind of the block; unknown names are kept.').at('blockType', 'word').lasting().unproven(),
    tx_count: t.int64('Number of transactions.').at('txCount').lasting().partlyUnproven(),
    tx_ids: t.list(t.cb58('Id.'), 'Ids of the transactions.').at('transactions').unproven(),
    byte_length: t.int64('Length in bytes.').at('blockSizeBytes').lasting().unproven(),
    l1_validators_accrued_fees: t
      .u64(
        'Fees that L1 validators accrued since the start, in nAVAX; null for other chains than the P-Chain.',
        nullable,
      )
      .at('l1ValidatorsAccruedFees')
      .lasting()
      .unproven(),
    active_l1_validator_count: t
      .int64('Number of active L1 validators; null for other chains than the P-Chain.', nullable)
      .at('activeL1Validators')
      .lasting()
      .unproven(),
    current_supply: t
      .u64('Supply of AVAX in nAVAX; null where the service leaves it out.', nullable)
      .at('currentSupply')
      .lasting()
      .unproven(),
    container_id: t
      .cb58('Id of the proposervm block; null where the service leaves it out.', nullable)
      .at('proposerDetails.proposerId')
      .lasting()
      .partlyUnproven(),
    wrapper_parent_id: t
      .cb58('Id of the parent proposervm block; null where the service leaves it out.', nullable)
      .at('proposerDetails.proposerParentId')
      .lasting()
      .partlyUnproven(),
    proposer_node_id: t
      .address('Node that proposed the block; null where the service leaves it out.', nullable)
      .at('proposerDetails.proposerNodeId', 'nodeId')
      .lasting()
      .partlyUnproven(),
    wrapper_p_height: t
      .int64('P-Chain height in the proposervm block; null where the service leaves it out.', nullable)
      .at('proposerDetails.proposerPChainHeight')
      .lasting()
      .partlyUnproven(),
    wrapper_time: t
      .timestamp('Time in the proposervm block (UTC); null where the service leaves it out.', nullable)
      .at('proposerDetails.proposerTimestamp')
      .lasting()
      .partlyUnproven(),
    ...chainNameColumn,
  },
})
