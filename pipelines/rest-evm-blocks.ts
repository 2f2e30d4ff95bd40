import { restEvmBlocks } from '../schemas/rest-tokens.ts'
import { listReader } from '../src/decode/list-reader.ts'
import { pipeline, serviceStream } from '../src/define/index.ts'
import { serviceRoutes } from '../src/sources/service-routes.ts'
import { chainId, network, pageSize, trailingSeconds } from './shared/parameters.ts'
import { blockTime, checkChain, listOf, onEvmChain } from './shared/service.ts'

/** Blocks of an EVM chain, newest first (specification 2.6 and 4.8). Answers from before 2025 do not name the chain. */
export const restEvmBlocksList = listReader({
  tables: { blocks: restEvmBlocks },
  items: 'blocks',
  readers: { block_time: blockTime },
  complete: (_, block, given) => checkChain(block, String(given['chain_id'])),
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
      const {
        network,
        'chain-id': chainId,
        'trailing-seconds': trailing = 3600,
        'page-size': pageSize = route.mostItems,
      } = values
      return [
        {
          stream: serviceStream(network, 'rest-evm-blocks', {}, chainId),
          walk: {
            kind: 'pageChain',
            list: listOf(route, { chainId }, { pageSize }, restEvmBlocksList({ network, chain_id: chainId })),
            trailing,
          },
        },
      ]
    }),
})
