import { evmBlocks } from '../schemas/evm-blocks.ts'
import { evmLogs } from '../schemas/evm-logs.ts'
import { evmTokenTransfers } from '../schemas/evm-token-transfers.ts'
import { evmTransactions } from '../schemas/evm-transactions.ts'
import { readEvmBlock } from '../src/decode/evm/read-block.ts'
import { p, pipeline, type Range } from '../src/define/index.ts'
import type { EvmBlock } from '../src/model.ts'
import { askEvmChain, evmChainParameter } from './shared/evm-chain.ts'
import { usualUnit } from './shared/index-pipeline.ts'
import { rangeParameters, requestedBounds } from './shared/range-parameters.ts'

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
    ...rangeParameters('block number', 'the last final block'),
    unit: p.whole(`Most blocks per commit (default: ${usualUnit}). Threads that share a range take fewer.`, {
      least: 1,
    }),
    finality: p.whole(
      'Blocks below the newest one to leave out if the node does not report the final block (default: 64).',
    ),
    step: p.whole('Only blocks with numbers that are multiples of it (default: all).', { least: 1 }),
  },
  reads: 'node',
  walks: ['range'],
  tables,
  async streams({ chain, unit = usualUnit, finality, step = 1, ...part }, facts) {
    const bounds = requestedBounds(part)
    const { endpoint, route, network, chainId, genesisHash } = await askEvmChain(chain, facts)
    const walk: Range<EvmBlock> = {
      kind: 'range',
      record: 'block',
      what: `the RPC of chain ${chainId}`,
      endpoint,
      source: async (connection, { underWay }) => {
        const { createEvmBlocks } = await import('../src/sources/evm-blocks.ts')
        return createEvmBlocks(connection, route, { step, underWay, ...(finality === undefined ? {} : { finality }) })
      },
      ...bounds,
      unit: unit * step,
      overlapping: [`evm-blocks/${chainId}`, `evm-logs/${chainId}`],
      order: 'chain',
      outputs: [{ tables, read: readEvmBlock }],
      context: { network, chainId },
      linkOf: null,
      notice: null,
    }
    // Parent hashes show that blocks are of one chain. Where blocks are left out, only the first block identifies the chain.
    const parameters: Record<string, string> = step === 1 ? {} : { step: String(step), genesis: genesisHash }
    return [{ stream: { network, path: `evm-blocks/${chainId}`, parameters }, walk }]
  },
})
