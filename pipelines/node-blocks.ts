import { restNodeBlocks } from '../schemas/rest-transactions.ts'
import { p, pipeline, serviceStream } from '../src/define/index.ts'
import { blockchainPath, serviceRoute } from '../src/sources/service-routes.ts'
import { blockchain, mustBeRange, network, nodeIds, pageSize, trailingSeconds } from './shared/parameters.ts'
import {
  chainList,
  checkTransactions,
  type JobChain,
  jobChain,
  listOf,
  requestedSeconds,
  timeBounds,
  timeWindow,
} from './shared/service.ts'

export const nodeBlocksRoute = serviceRoute(`${blockchainPath}/nodes/{nodeId}/blocks`, 'medium', 100)

/** Blocks that a node proposed (specification 2.5 and 4.8). */
export const nodeBlocksList = chainList({
  tables: { blocks: restNodeBlocks },
  items: 'blocks',
  complete: checkTransactions,
  key: ['block_id'],
  time: 'block_time',
})

export const nodeBlocksPipeline = pipeline({
  name: 'node-blocks',
  comment: 'Blocks of a chain of the Primary Network that watched nodes proposed.',
  parameters: {
    network,
    blockchain,
    'node-ids': { ...p.list.required(nodeIds.comment, { example: '@node-ids.txt' }), pattern: nodeIds.pattern },
    'start-timestamp': p.time('First second (default: 2020-09-10).'),
    'end-timestamp': p.time('End of the range, exclusive (default: after the newest block).'),
    'page-size': pageSize(nodeBlocksRoute.mostItems),
    'trailing-seconds': trailingSeconds,
  },
  tables: { blocks: restNodeBlocks },
  reads: 'service',
  walks: ['timeWindow'],
  streams(values, { service: settings }) {
    const { 'start-timestamp': from, 'end-timestamp': to, 'trailing-seconds': trailing } = values
    mustBeRange(['start-timestamp', from], ['end-timestamp', to])
    const chain = jobChain(values, settings)
    return values['node-ids'].map((nodeId) => ({
      stream: serviceStream(chain.network, 'node-blocks', { nodeId }, chain.alias),
      walk: timeWindow(headChain(chain), from, to, trailing, (slice) =>
        listOf(
          nodeBlocksRoute,
          { ...chain.parts, nodeId },
          { ...timeBounds(slice), pageSize: values['page-size'] },
          nodeBlocksList(chain, { node_id: nodeId }),
          { values: [{ proposer_node_id: [nodeId] }], range: requestedSeconds(slice) },
        ),
      ),
    }))
  },
})

/** Atomic transactions of the C-Chain are rare: blocks of the P-Chain show better how far the service is. */
function headChain(chain: JobChain): JobChain {
  return chain.alias === 'C' ? { ...chain, alias: 'P', parts: { ...chain.parts, blockchainId: 'p-chain' } } : chain
}
