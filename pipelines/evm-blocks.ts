import { evmBlocks, evmLogs, evmTokenTransfers, evmTransactions } from '../schemas/evm-blocks.ts'
import { readEvmBlock } from '../src/decode/evm/blocks.ts'
import { evmBlockPipeline } from './shared/evm-chain.ts'

const tables = {
  blocks: evmBlocks,
  transactions: evmTransactions,
  logs: evmLogs,
  tokenTransfers: evmTokenTransfers,
}

export const evmBlocksPipeline = evmBlockPipeline({
  name: 'evm-blocks',
  comment: 'Blocks of an EVM chain with transactions, receipts, logs and token transfers, from its JSON-RPC.',
  tables,
  what: 'the RPC',
  overlapping: ['evm-blocks', 'evm-logs'],
  source: async (connection, route, options) => {
    const { createEvmBlocks } = await import('../src/sources/evm-blocks.ts')
    return createEvmBlocks(connection, route, options)
  },
  outputs: () => [{ tables, read: readEvmBlock }],
})
