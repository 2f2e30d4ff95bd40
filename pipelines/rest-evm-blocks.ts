import { restEvmBlocks } from '../schemas/rest-tokens.ts'
import { contradiction } from '../src/decode/json/fields.ts'
import { listReader } from '../src/decode/list-reader.ts'
import { pipeline, serviceStream } from '../src/define/index.ts'
import { serviceRoutes } from '../src/sources/service-routes.ts'
import { chainId, network, pageSize, trailingSeconds } from './shared/parameters.ts'
import { blockTime, checkChain, defaultTrailing, listOf, onEvmChain } from './shared/service.ts'

/**
 * Blocks of an EVM chain, newest first (specification 2.6 and 4.8). Answers from before 2025 do not name the chain. A block that the one before
 * it names as its parent has the number below: numbers are the keys of rows, so that others would be stored as blocks of their own.
 */
export const restEvmBlocksList = listReader({
  tables: { blocks: restEvmBlocks },
  items: 'blocks',
  readers: { block_time: blockTime },
  complete(row, block, given) {
    checkChain(block, String(given['chain_id']))
    const { memory } = block.context
    const above = memory.get('block') as typeof row | undefined
    memory.set('block', row)
    if (row.block_hash === above?.parent_hash && row.block_number !== above.block_number - 1)
      throw contradiction(block, 'blockNumber', row.block_number, 'blockHash', row.block_hash)
  },
  key: ['block_number'],
  time: 'block_time',
})

const route = serviceRoutes.evmBlocks
export const restEvmBlocksPipeline = pipeline({
  name: 'rest-evm-blocks',
  comment: 'Blocks of EVM chains, newest first, from the REST service.',
  parameters: {
    network,
    'chain-id': chainId,
    'trailing-seconds': trailingSeconds,
    'page-size': pageSize(100),
  },
  tables: { blocks: restEvmBlocks },
  reads: 'service',
  walks: ['pageChain'],
  streams: (given, facts) =>
    onEvmChain(given, facts, (values) => {
      const { network, 'chain-id': chainId, 'page-size': pageSize } = values
      return [
        {
          stream: serviceStream(network, 'rest-evm-blocks', {}, chainId),
          walk: {
            kind: 'pageChain',
            list: listOf(route, { chainId }, { pageSize }, restEvmBlocksList({ network, chain_id: chainId })),
            trailing: values['trailing-seconds'] ?? defaultTrailing,
          },
        },
      ]
    }),
})
