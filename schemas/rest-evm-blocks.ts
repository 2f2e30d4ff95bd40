import { identity, month, t } from '../src/define/index.ts'
import { table } from './shared/table.ts'
import { evmChainColumns } from './shared/token-columns.ts'
import { wideColumns } from './shared/wide-columns.ts'

const nullable = { nullable: true } as const

export const restEvmBlocks = table({
  name: 'rest_evm_blocks',
  comment: 'One row per block of an EVM chain, as the REST service lists it.',
  key: ['network', 'chain_id', 'block_number'],
  sortBy: ['chain_id', 'block_number'],
  partitionBy: [identity('network'), month('block_time')],
  unproven: {
    partly: ['fees_spent', 'fees_spent_raw', 'base_fee_per_gas', 'block_gas_cost'],
  },
  columns: {
    ...evmChainColumns,
    block_number: t.int64('Number of the block.').at('blockNumber').partlyUnproven(),
    block_time: t
      .timestamp('Time of the block (UTC), with milliseconds where the answer has them.')
      .at('blockTimestamp')
      .lasting()
      .partlyUnproven(),
    block_hash: t.hex('Hash of the block.').at('blockHash', 'hash').lasting().partlyUnproven(),
    parent_hash: t.hex('Hash of the parent block.').at('parentHash', 'hash').lasting().partlyUnproven(),
    transaction_count: t.int64('Number of transactions in the block.').at('txCount').lasting().partlyUnproven(),
    cumulative_transaction_count: t
      .int64('Number of transactions of the chain up to this block.', nullable)
      .at('cumulativeTransactions')
      .unproven(),
    gas_used: t.int64('Gas used.', nullable).at('gasUsed', 'int64').lasting().partlyUnproven(),
    gas_limit: t.u64('Gas limit.', nullable).at('gasLimit').partlyUnproven(),
    ...wideColumns('base_fee_per_gas', 'Base fee in wei per gas.', 'baseFee'),
    ...wideColumns('block_gas_cost', 'Cost of the block in gas.', 'gasCost'),
    ...wideColumns('fees_spent', 'Fees paid by the transactions of the block, in wei.', 'feesSpent'),
    min_delay_excess: t
      .u64('State of the minimum delay between blocks (since Granite).', nullable)
      .at('blockMinDelayExcess')
      .partlyUnproven(),
  },
})
