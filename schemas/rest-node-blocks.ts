import { identity, month, type RowOf, t } from '../src/define/index.ts'
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
  lasting: [
    'block_id',
    'parent_id',
    'block_time',
    'block_type',
    'tx_count',
    'byte_length',
    'l1_validators_accrued_fees',
    'active_l1_validator_count',
    'current_supply',
    'container_id',
    'wrapper_parent_id',
    'proposer_node_id',
    'wrapper_p_height',
    'wrapper_time',
  ],
  streamValues: [{ column: 'node_id', parameter: 'nodeId' }],
  unproven: {
    never: [
      'block_type',
      'tx_ids',
      'byte_length',
      'l1_validators_accrued_fees',
      'active_l1_validator_count',
      'current_supply',
      'chain_name',
    ],
    partly: [
      'container_id',
      'wrapper_parent_id',
      'wrapper_p_height',
      'wrapper_time',
      'height',
      'block_time',
      'block_id',
      'parent_id',
      'tx_count',
      'proposer_node_id',
    ],
  },
  columns: {
    ...networkColumn,
    node_id: t.address('Node id in the request.'),
    blockchain_id: t.address('Id of the chain.'),
    height: t.int64('Height of the block.').at('blockNumber'),
    block_time: t.timestamp('Time of the block (UTC).').at('blockTimestamp'),
    block_id: t.cb58('Id of the block, as the service returns it.').at('blockHash'),
    parent_id: t.cb58('Id of the parent block.').at('parentHash'),
    block_type: t.text('Kind of the block; unknown names are kept.').at('blockType', 'word'),
    tx_count: t.int64('Number of transactions.').at('txCount'),
    tx_ids: t.list(t.cb58('Id.'), 'Ids of the transactions.').at('transactions'),
    byte_length: t.int64('Length in bytes.').at('blockSizeBytes'),
    l1_validators_accrued_fees: t
      .u64(
        'Fees that L1 validators accrued since the start, in nAVAX; null for other chains than the P-Chain.',
        nullable,
      )
      .at('l1ValidatorsAccruedFees'),
    active_l1_validator_count: t
      .int64('Number of active L1 validators; null for other chains than the P-Chain.', nullable)
      .at('activeL1Validators'),
    current_supply: t
      .u64('Supply of AVAX in nAVAX; null where the service leaves it out.', nullable)
      .at('currentSupply'),
    container_id: t
      .cb58('Id of the proposervm block; null where the service leaves it out.', nullable)
      .at('proposerDetails.proposerId'),
    wrapper_parent_id: t
      .cb58('Id of the parent proposervm block; null where the service leaves it out.', nullable)
      .at('proposerDetails.proposerParentId'),
    proposer_node_id: t
      .address('Node that proposed the block; null where the service leaves it out.', nullable)
      .at('proposerDetails.proposerNodeId', 'nodeId'),
    wrapper_p_height: t
      .int64('P-Chain height in the proposervm block; null where the service leaves it out.', nullable)
      .at('proposerDetails.proposerPChainHeight'),
    wrapper_time: t
      .timestamp('Time in the proposervm block (UTC); null where the service leaves it out.', nullable)
      .at('proposerDetails.proposerTimestamp'),
    ...chainNameColumn,
  },
})
export type RestNodeBlock = RowOf<typeof restNodeBlocks>
