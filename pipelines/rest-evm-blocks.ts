import { restEvmBlocks } from '../schemas/rest-evm-blocks.ts'
import { decodeEvmBlocks } from '../src/decode/service/evm-blocks.ts'
import { pipeline, serviceStream } from '../src/define/index.ts'
import { serviceRoutes } from '../src/sources/service-routes.ts'
import { onEvmChain } from './shared/evm-chain-id.ts'
import { lakeNetwork } from './shared/lake-network.ts'
import { listOf } from './shared/service-job.ts'
import { chainId, network, pageSize, trailingSeconds, unitPages } from './shared/service-parameters.ts'

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
            list: listOf(route, { chainId }, { pageSize }, decodeEvmBlocks({ network, chainId })),
            trailing,
          },
        },
      ]
    }),
})
