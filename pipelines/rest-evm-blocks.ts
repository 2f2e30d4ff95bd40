import { restEvmBlocks } from '../schemas/rest-evm-blocks.ts'
import { blockTime, checkChain } from '../src/decode/json/token-fields.ts'
import { listReader } from '../src/decode/list-reader.ts'
import { pipeline, serviceStream } from '../src/define/index.ts'
import { serviceRoutes } from '../src/sources/service-routes.ts'
import { onEvmChain } from './shared/evm-chain-id.ts'
import { lakeNetwork } from './shared/lake-network.ts'
import { listOf } from './shared/service-job.ts'
import { chainId, network, pageSize, trailingSeconds, unitPages } from './shared/service-parameters.ts'

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
    'unit-pages': unitPages,
  },
  tables: { blocks: restEvmBlocks },
  reads: 'service',
  walks: ['pageChain'],
  streams: (given, facts) =>
    onEvmChain(given, facts, (values) => {
      const network = lakeNetwork(values.network)
      const {
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
