import { evmBlocks } from '../schemas/evm-blocks.ts'
import { evmLogs } from '../schemas/evm-logs.ts'
import { evmTokenTransfers } from '../schemas/evm-token-transfers.ts'
import { evmTransactions } from '../schemas/evm-transactions.ts'
import { readEvmBlock } from '../src/decode/evm/read-block.ts'
import { pipeline, type Range } from '../src/define/index.ts'
import type { EvmBlock } from '../src/model.ts'
import { askEvmChain, evmBlockStream, evmBlockWalk, evmChainParameter, evmRangeParameters } from './shared/evm-chain.ts'
import { requestedBounds } from './shared/range-parameters.ts'

const tables = {
  blocks: evmBlocks,
  transactions: evmTransactions,
  logs: evmLogs,
  tokenTransfers: evmTokenTransfers,
}

export const evmBlocksPipeline = pipeline({
  name: 'evm-blocks',
  comment: 'Blocks of an EVM chain with transactions, receipts, logs and token transfers, from its JSON-RPC.',
  parameters: {
    chain: evmChainParameter,
    ...evmRangeParameters,
  },
  reads: 'node',
  walks: ['range'],
  tables,
  async streams({ chain, unit, finality, step = 1, 'ws-url': wsUrl, ...part }, facts) {
    const bounds = requestedBounds(part)
    const answers = await askEvmChain(chain, facts, { wsUrl, finality })
    const { route, chainId } = answers
    const walk: Range<EvmBlock> = {
      ...evmBlockWalk(answers, { bounds, unit, step }),
      what: `the RPC of chain ${chainId}`,
      source: async (connection, { underWay }) => {
        const { createEvmBlocks } = await import('../src/sources/evm-blocks.ts')
        return createEvmBlocks(connection, route, { step, underWay, ...(finality === undefined ? {} : { finality }) })
      },
      overlapping: [`evm-blocks/${chainId}`, `evm-logs/${chainId}`],
      outputs: [{ tables, read: readEvmBlock }],
    }
    return [{ stream: evmBlockStream('evm-blocks', answers, step), walk, chain: answers }]
  },
})
